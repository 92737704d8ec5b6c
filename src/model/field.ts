import type { QualityCoding } from './quality.ts'

/** The types of field values. `json` is only for attributes of metadata items. */
export const fieldTypes = ['timestamp', 'string', 'double', 'long', 'boolean', 'json'] as const
export type FieldType = (typeof fieldTypes)[number]

export const seriesRoles = ['time', 'tag', 'dimension', 'metric', 'quality'] as const
export const metadataRoles = ['index', 'attribute'] as const
export type FieldRole = (typeof seriesRoles)[number] | (typeof metadataRoles)[number]

/** One field of an ingest; `source` is the property of pushed rows that it is read from. */
export interface Field {
  readonly name: string
  readonly source: string
  readonly type: FieldType
  readonly role: FieldRole
  /** The coding of a quality field's numbers; omitted: `opcda`. */
  readonly coding?: QualityCoding
  /** Set if a row of an open ingest added the field. */
  readonly added?: 'by_row'
}

/** A row without a required field is not stored. */
export function isRequired({ role }: Pick<Field, 'role'>): boolean {
  return role === 'time' || role === 'tag' || role === 'index'
}

/** Maximum UTF-8 bytes of a string identifier. PostgreSQL limits an index entry to 2,704 bytes, and a `NextToken` with an identifier must fit a URL. */
export const identifierBytesMax = 2048

/** The pattern of ingest aliases, entity names and field names. */
export const namePattern = '^[A-Za-z_][A-Za-z0-9_.-]{0,127}$'
const nameExpression = new RegExp(namePattern)

/** Names with another meaning in the results of series queries. */
const reservedInSeries = new Set(['__time', 'snap'])

export function isReservedInSeries(name: string): boolean {
  return reservedInSeries.has(name)
}

export function isName(text: string): boolean {
  return nameExpression.test(text)
}

/** Whether a mean of the field can be computed. */
export function isNumericField(field: { readonly type: FieldType }): boolean {
  return field.type === 'double' || field.type === 'long'
}

/** The fields of an ingest created without any: a date, a tag and a value. */
export const defaultSeriesFields: readonly Field[] = [
  { name: 'D', source: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', source: 'T', type: 'string', role: 'tag' },
  { name: 'V', source: 'V', type: 'double', role: 'metric' },
]

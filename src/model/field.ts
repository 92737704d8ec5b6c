import type { QualityCoding } from './quality.ts'

/** What a field may hold. `json` is for the attributes of metadata items alone. */
export const fieldTypes = ['timestamp', 'string', 'double', 'long', 'boolean', 'json'] as const
export type FieldType = (typeof fieldTypes)[number]

export const seriesRoles = ['time', 'tag', 'dimension', 'metric', 'quality'] as const
export const metadataRoles = ['index', 'attribute'] as const
export type FieldRole = (typeof seriesRoles)[number] | (typeof metadataRoles)[number]

/** One field of an ingest: `source` is the property of a pushed row that it is read from. */
export interface Field {
  readonly name: string
  readonly source: string
  readonly type: FieldType
  readonly role: FieldRole
  /** What the numbers of a quality mean; left out: `opcda`. */
  readonly coding?: QualityCoding
  /** It came by itself: a row of an open ingest brought it. */
  readonly added?: 'by_row'
}

/** Without it a row is not stored. */
export function isRequired({ role }: Pick<Field, 'role'>): boolean {
  return role === 'time' || role === 'tag' || role === 'index'
}

/** Bytes of a string identifier: PostgreSQL's indexes take 2,704 in an entry, and a `NextToken` with an identifier goes into a URL. */
export const identifierBytesMax = 2048

/** Aliases of ingests, names of entities and names of fields. */
export const namePattern = '^[A-Za-z_][A-Za-z0-9_.-]{0,127}$'
const nameExpression = new RegExp(namePattern)

/** Names that answers of series queries give to something else. */
const reservedInSeries = new Set(['__time', 'snap'])

export function isReservedInSeries(name: string): boolean {
  return reservedInSeries.has(name)
}

export function isName(text: string): boolean {
  return nameExpression.test(text)
}

/** Whether means can be taken of a field. */
export function isNumericField(field: { readonly type: FieldType }): boolean {
  return field.type === 'double' || field.type === 'long'
}

/** The fields of an ingest that was created without any: a date, a tag and a value. */
export const defaultSeriesFields: readonly Field[] = [
  { name: 'D', source: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', source: 'T', type: 'string', role: 'tag' },
  { name: 'V', source: 'V', type: 'double', role: 'metric' },
]

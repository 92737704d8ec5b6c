// What rows the lines of a push are, written as JSON: so a line is validated by the very rules of a row of JSON.

import type { LineValue, ParsedLine } from '../../../lib/line-protocol/parse-line.ts'
import type { Field, FieldType } from '../../../model/field.ts'
import type { Ingest } from '../../../model/ingest.ts'
import { isByField, type LineFormat, msOfLineTime, precisionOf } from '../../../model/line-format.ts'
import { lineFieldMisnamed, noLine, noMetricFits, type RowFault } from '../../../model/row-fault.ts'

/** The property that the measurement of a line is. */
export const measurementProperty = 'measurement'

/** How the lines of a push are read: for which ingest, in which format, and when they were received. */
export interface LineReading {
  readonly ingest: Pick<Ingest, 'fields' | 'lines'>
  readonly format: LineFormat
  readonly receivedMs: number
}

/** A row as JSON, with the properties whose numbers came as longs; or why there is none. */
export type LineRow = { readonly json: string; readonly longs: readonly string[] } | { readonly fault: RowFault }

/** The rows of one line, by the index of its field where each field is one. */
export function lineRows(line: ParsedLine, reading: LineReading): (field: number) => LineRow {
  const ms = line.time === null ? String(reading.receivedMs) : msText(line.time, reading.format)
  if (isByField(reading.format)) return rowsByField(line, reading, ms)
  return () => wideRow(line, reading, ms)
}

/** The line as it would be with this field alone. */
export function textOfField({ head, fields, time }: ParsedLine, field: number): string {
  return `${head} ${fields[field]!.text}${time === null ? '' : ` ${time}`}`
}

/** How many rows a line is. */
export function rowsOfLine({ fields }: ParsedLine, format: LineFormat): number {
  return isByField(format) ? fields.length : 1
}

function msText(time: bigint, format: LineFormat): string {
  return String(msOfLineTime(time, precisionOf(format)))
}

function wideRow({ measurement, tags, fields }: ParsedLine, { ingest }: LineReading, ms: string): LineRow {
  const time = ingest.fields.find(({ role }) => role === 'time')
  const names = new Set([...tags.map(([name]) => name), ...fields.map(({ name }) => name)])
  if (time !== undefined && names.has(time.source)) return { fault: lineFieldMisnamed(time) }
  if (names.has(measurementProperty))
    return { fault: noLine(`the property ${measurementProperty} is its measurement; name the tag or field otherwise`) }
  const properties = [
    property(measurementProperty, JSON.stringify(measurement)),
    ...tags.map(([name, value]) => property(name, tagJson(name, value, ingest.fields))),
    ...fields.map(({ name, value }) => property(name, jsonOf(value))),
    ...(time === undefined ? [] : [property(time.source, ms)]),
  ]
  return { json: `{${properties.join(',')}}`, longs: longsOf(fields) }
}

/** A tag is a text, but for the digits of a quality that is a number. */
function tagJson(name: string, value: string, fields: readonly Field[]): string {
  const isNumber = fields.some(({ source, role, type }) => source === name && role === 'quality' && type === 'long')
  return isNumber && /^(?:0|-?[1-9][0-9]*)$/.test(value) ? value : JSON.stringify(value)
}

/** Of a name that comes twice the last value counts. */
function longsOf(fields: ParsedLine['fields']): readonly string[] {
  const types = new Map(fields.map(({ name, value }) => [name, value.type]))
  return [...types].flatMap(([name, type]) => (type === 'long' ? [name] : []))
}

function rowsByField(line: ParsedLine, { ingest }: LineReading, ms: string): (field: number) => LineRow {
  const { fields } = ingest
  const time = sourceOf(fields, 'time')
  const tag = sourceOf(fields, 'tag')
  const others = otherTags(line, ingest)
  const tagOf = tagByField(line, ingest)
  return (index) => {
    const { name, value } = line.fields[index]!
    const metric = fields.find(({ role, type }) => role === 'metric' && fits(value.type, type))
    if (metric === undefined) return { fault: noMetricFits(name, jsonOf(value)) }
    const properties = [
      property(tag, JSON.stringify(tagOf(name))),
      ...others.flatMap(([other, text]) =>
        other === metric.source ? [] : [property(other, tagJson(other, text, fields))],
      ),
      property(metric.source, jsonOf(value)),
      property(time, ms),
    ]
    return { json: `{${properties.join(',')}}`, longs: value.type === 'long' ? [metric.source] : [] }
  }
}

type ByField = Pick<Ingest, 'fields' | 'lines'>

/** The tags of a line that go into fields of their names, where each field of the line is a row. */
export function otherTags({ tags }: Pick<ParsedLine, 'tags'>, { fields }: ByField): ParsedLine['tags'] {
  const [time, tag] = [sourceOf(fields, 'time'), sourceOf(fields, 'tag')]
  const sources = new Set(fields.map(({ source }) => source))
  return tags.filter(([name]) => name !== time && name !== tag && sources.has(name))
}

/** The tag of the row that a field of the line is. */
export function tagByField(
  { measurement, tags }: Pick<ParsedLine, 'measurement' | 'tags'>,
  { lines }: ByField,
): (field: string) => string {
  const byName = new Map(tags)
  return (field) => filled(lines?.tag ?? '', measurement, byName, field)
}

function sourceOf(fields: readonly Field[], role: 'time' | 'tag'): string {
  const field = fields.find((one) => one.role === role)
  if (field === undefined) throw new Error(`a series ingest has a ${role}`)
  return field.source
}

/** Where a whole number fits, so does a double; the other way round only by its very digits. */
export function fits(value: LineValue['type'], type: FieldType): boolean {
  return value === type || (value === 'long' && type === 'double')
}

const parts = /\{([^{}]*)\}/g

/** The template with its parts filled in; what the line lacks is empty. */
function filled(template: string, measurement: string, tags: ReadonlyMap<string, string>, field: string): string {
  return template.replace(parts, (_part, name: string) => {
    if (name === 'measurement') return measurement
    return name === 'field' ? field : (tags.get(name) ?? '')
  })
}

function property(name: string, json: string): string {
  return `${JSON.stringify(name)}:${json}`
}

function jsonOf(value: LineValue): string {
  return 'json' in value ? value.json : JSON.stringify(value.value)
}

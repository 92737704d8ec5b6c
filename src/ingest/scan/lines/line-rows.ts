// Converts lines of a push to rows of JSON, so that a line is validated by the same rules as a JSON row.

import type { LineValue, ParsedLine } from '../../../lib/line-protocol/parse-line.ts'
import type { Field, FieldType } from '../../../model/field.ts'
import type { Ingest } from '../../../model/ingest.ts'
import { isByField, type LineFormat, msOfLineTime, precisionOf } from '../../../model/line-format.ts'
import { lineFieldMisnamed, noLine, noMetricFits, type RowFault } from '../../../model/row-fault.ts'

/** The property that contains a line's measurement. */
export const measurementProperty = 'measurement'

/** How to read the lines of a push: the ingest, the format, and the time of receipt. */
export interface LineReading {
  readonly ingest: Pick<Ingest, 'fields' | 'lines'>
  readonly format: LineFormat
  readonly receivedMs: number
}

/** A row as JSON, with the properties whose numbers were longs; or why there is none. */
export type LineRow = { readonly json: string; readonly longs: readonly string[] } | { readonly fault: RowFault }

/** Returns the rows of one line, by index of the field if each field is a row. */
export function lineRows(line: ParsedLine, reading: LineReading): (field: number) => LineRow {
  const ms = line.time === null ? String(reading.receivedMs) : msText(line.time, reading.format)
  if (isByField(reading.format)) return rowsByField(line, reading, ms)
  return () => wideRow(line, reading, ms)
}

/** The line with this field alone. */
export function textOfField({ head, fields, time }: ParsedLine, field: number): string {
  return `${head} ${fields[field]!.text}${time === null ? '' : ` ${time}`}`
}

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

/** A tag is text, except the digits of a quality that is a number. */
function tagJson(name: string, value: string, fields: readonly Field[]): string {
  const isNumber = fields.some(({ source, role, type }) => source === name && role === 'quality' && type === 'long')
  return isNumber && /^(?:0|-?[1-9][0-9]*)$/.test(value) ? value : JSON.stringify(value)
}

/** If a name repeats, the last value counts. */
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

/** If each field of a line is a row: the tags of the line that go into fields of the same name. */
export function otherTags({ tags }: Pick<ParsedLine, 'tags'>, { fields }: ByField): ParsedLine['tags'] {
  const [time, tag] = [sourceOf(fields, 'time'), sourceOf(fields, 'tag')]
  const sources = new Set(fields.map(({ source }) => source))
  return tags.filter(([name]) => name !== time && name !== tag && sources.has(name))
}

/** Returns the tag of a field's row. */
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

/** A long fits a double field too. Whether a double fits a long field depends on its digits, so by type alone it does not. */
export function fits(value: LineValue['type'], type: FieldType): boolean {
  return value === type || (value === 'long' && type === 'double')
}

const parts = /\{([^{}]*)\}/g

/** The template with its placeholders filled in; tags that the line lacks are empty. */
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

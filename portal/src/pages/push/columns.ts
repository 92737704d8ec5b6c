// Maps the columns of a CSV file to properties of rows, by the rules of `tidemark push`: a column keeps its name unless it is mapped.
import type { CsvMapping } from '../../../../src/file-push/csv-rows.ts'
import { type DecimalMark, parseDelimiter } from '../../../../src/file-push/csv-writing.ts'
import { type AmbiguousChoice, timeRules } from '../../../../src/file-push/time-rules.ts'
import { allLines, type CsvLines } from '../../../../src/lib/csv-parser.ts'
import type { Field } from '../../../../src/model/field.ts'

/** The format of the file as chosen by the user; empty texts mean the defaults. */
export interface Written {
  readonly delimiter: string
  readonly lines: CsvLines
  readonly decimal: DecimalMark
  readonly timeFormat: string
  readonly timeZone: string
  readonly ambiguous: AmbiguousChoice | null
}

export const usualWritten: Written = {
  delimiter: ',',
  lines: allLines,
  decimal: 'point',
  timeFormat: '',
  timeZone: '',
  ambiguous: null,
}

export interface Columns {
  readonly header: readonly string[]
  /** The property of each column, or null if the column is dropped. */
  readonly become: ReadonlyMap<string, string | null>
  /** Properties with the same value in every row. */
  readonly constants: ReadonlyMap<string, string>
  readonly written: Written
}

/** Maps each column to a property of the same name. */
export const ownNames = (header: readonly string[], written: Written = usualWritten): Columns => ({
  header,
  written,
  become: new Map(header.map((name) => [name, name])),
  constants: new Map(),
})

export function withColumn(columns: Columns, column: string, becomes: string | null): Columns {
  return { ...columns, become: new Map(columns.become).set(column, becomes) }
}

/** An empty value removes the constant. */
export function withConstant(columns: Columns, property: string, value: string): Columns {
  const constants = new Map(columns.constants)
  if (value === '') constants.delete(property)
  else constants.set(property, value)
  return { ...columns, constants }
}

/** The two columns that are joined into one time, the date and the time of day, in the order of the file; null if there are none. */
export function dateAndTimeOf(
  { become }: Pick<Columns, 'become'>,
  fields: readonly Pick<Field, 'source' | 'type'>[],
): readonly [date: string, time: string] | null {
  for (const { source, type } of fields) {
    const [date, time, ...more] = [...become].flatMap(([name, to]) => (to === source ? [name] : []))
    if (type === 'timestamp' && date !== undefined && time !== undefined && more.length === 0) return [date, time]
  }
  return null
}

/** The fields without a column. */
export function unfedFields({ become }: Columns, fields: readonly Field[]): readonly Field[] {
  const fed = new Set(become.values())
  return fields.filter(({ source }) => !fed.has(source))
}

/** Throws an `Error` if a pattern or a zone is invalid. */
export function mappingOf(
  { become, constants, written }: Columns,
  fields: readonly Pick<Field, 'source' | 'type'>[],
): CsvMapping {
  const types = new Map(fields.map(({ source, type }) => [source, type]))
  const dateAndTime = dateAndTimeOf({ become }, fields)
  const pairs = [...become].filter(([name]) => name !== dateAndTime?.[1])
  return {
    columns: new Map(pairs.flatMap(([name, to]) => (to === null || to === name ? [] : [[name, to] as const]))),
    dropped: new Set(pairs.filter(([, to]) => to === null).map(([name]) => name)),
    // A column that was mapped after the constant was set replaces it.
    constants: new Map([...constants].filter(([property]) => !pairs.some(([, to]) => to === property))),
    dateAndTime,
    typeOf: (property) => types.get(property) ?? 'guess',
    writing: {
      delimiter: parseDelimiter(written.delimiter),
      lines: written.lines,
      decimal: written.decimal,
      times: timeRules(written.timeFormat.trim(), written.timeZone.trim(), written.ambiguous),
    },
  }
}

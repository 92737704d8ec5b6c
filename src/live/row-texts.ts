// Rows as JSON; each is formatted once, however many followers receive it.
import { ChunkWriter } from '../answer/chunk-writer.ts'
import { ndjsonEncoder } from '../answer/text/encode-text.ts'
import { type ColumnVector, isNullAt, nullBoolean, nullCode, pickRows, valueAt } from '../model/column.ts'
import type { EntityField } from '../model/entity.ts'
import type { Selection } from '../model/plan.ts'
import { passesQuality } from '../model/quality.ts'

/** Columns with the fields that name them. */
export interface NamedColumns {
  readonly fields: readonly EntityField[]
  readonly columns: readonly ColumnVector[]
}

/** Rows of `source` as JSON objects of these fields, in the order of `rows`. A field that the source lacks is null. */
export function rowTexts(source: NamedColumns, rows: readonly number[], fields: readonly EntityField[]): string[] {
  if (rows.length === 0) return []
  const columns = fields.map((field) => {
    const column = columnOf(source, field)
    return column === null ? nulls(field, rows.length) : pickRows(column, rows)
  })
  const out = new ChunkWriter(Number.MAX_SAFE_INTEGER)
  const encoder = ndjsonEncoder(fields, out)
  for (let row = 0; row < rows.length; ) row = encoder.add({ rows: rows.length, columns }, row, rows.length)
  encoder.end()
  // A line feed only ends a line: JSON escapes those inside strings.
  return Buffer.concat(out.finish()).toString().trimEnd().split('\n')
}

/** Whether a row is an item: one of the metrics is not null, and its quality is selected. */
export function itemTest(
  source: NamedColumns,
  { metrics, quality }: Pick<Selection, 'metrics' | 'quality'>,
): (row: number) => boolean {
  const columns = metrics.flatMap((metric) => columnOf(source, metric) ?? [])
  const isItem = (row: number): boolean => columns.some((column) => !isNullAt(column, row))
  if (quality === undefined) return isItem
  const column = columnOf(source, quality.field)
  return (row) => isItem(row) && passesQuality(column === null ? null : valueAt(column, row), quality)
}

export function columnOf({ fields, columns }: NamedColumns, { name }: EntityField): ColumnVector | null {
  return columns[fields.findIndex((field) => field.name === name)] ?? null
}

function nulls({ name, type }: EntityField, rows: number): ColumnVector {
  switch (type) {
    case 'string':
      return { type, codes: new Int32Array(rows).fill(nullCode), dictionary: [] }
    case 'boolean':
      return { type, values: new Uint8Array(rows).fill(nullBoolean) }
    case 'long':
      return { type, values: new Float64Array(rows).fill(Number.NaN), exact: null }
    case 'json':
      throw new Error(`a series entity has no field of type json, but ${name} is one`)
    default:
      return { type, values: new Float64Array(rows).fill(Number.NaN) }
  }
}

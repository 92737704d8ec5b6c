import type { RejectedRow } from '../catalog/rejected.ts'
import type { PlacedEntry } from '../journal/journal.ts'
import { type ColumnVector, isNullAt, valueAt } from '../model/column.ts'
import type { Field, FieldType } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import { formatInstant } from '../model/instant.ts'
import { attributeLine, type ItemWrite } from '../model/item.ts'
import { keyOfDouble, keyOfLong, keyOfString } from '../model/item-key.ts'
import type { RowBatch } from '../model/row-batch.ts'
import { RowValidator } from './row-validator.ts'
import type { Reached, RowOfEntry, StepBudget } from './step-budget.ts'

/** Identifiers rarely repeat within a step, and texts of attributes are long, so few strings are worth remembering. */
const rememberedStringsMax = 1024
const rememberedBytesMax = 16 << 20

/** Validates rows of metadata ingests, by the same rules as series rows. */
export class ItemValidator {
  readonly #validator: RowValidator

  constructor({ rowBytes }: { readonly rowBytes: number }) {
    this.#validator = new RowValidator({ rowBytes, rememberedStringsMax, rememberedBytesMax })
  }

  /** Like `RowValidator.validate`, but returns good rows as items, in the order of their positions. */
  validate(
    entries: readonly PlacedEntry[],
    ingest: Ingest,
    from?: RowOfEntry,
    budget?: StepBudget,
  ): { readonly items: readonly ItemWrite[]; readonly rejected: readonly RejectedRow[]; readonly reached: Reached } {
    const { batch, rejected, reached } = this.#validator.validate(entries, ingest, from, budget)
    return { items: batch === null ? [] : itemsOf(batch, ingest.fields), rejected, reached }
  }
}

interface Attribute {
  readonly name: string
  readonly type: FieldType
  readonly column: ColumnVector
}

function itemsOf({ entityId, rows, positions, columns }: RowBatch, fields: readonly Field[]): readonly ItemWrite[] {
  const attributes = fields.flatMap(({ name, type, role }, index): readonly Attribute[] =>
    role === 'attribute' ? [{ name, type, column: columns[index]! }] : [],
  )
  const index = columns[fields.findIndex(({ role }) => role === 'index')]!
  return Array.from({ length: rows }, (_, row) => ({
    entityId,
    key: keyAt(index, row),
    position: positions[row]!,
    attributes: linesAt(attributes, row),
  }))
}

function keyAt(column: ColumnVector, row: number): Uint8Array {
  const value = valueAt(column, row)
  if (typeof value === 'string') return keyOfString(value)
  if (typeof value === 'bigint') return keyOfLong(value)
  if (typeof value === 'number') return column.type === 'double' ? keyOfDouble(value) : keyOfLong(BigInt(value))
  throw new Error('a row without an identifier was not rejected')
}

function linesAt(attributes: readonly Attribute[], row: number): string {
  let lines = ''
  for (const { name, type, column } of attributes) {
    if (!isNullAt(column, row)) lines += attributeLine(name, jsonAt(column, row, type))
  }
  return lines
}

function jsonAt(column: ColumnVector, row: number, type: FieldType): string {
  const value = valueAt(column, row)
  if (type === 'json') return String(value)
  if (type === 'timestamp') return `"${formatInstant(Number(value))}"`
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}

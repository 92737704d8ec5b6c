import { type ColumnVector, nullCode, type StringColumn } from '../../../model/column.ts'
import type { RowBatch } from '../../../model/row-batch.ts'

/** A batch of its own, which can be handed to another thread: no longer than its rows, and with no strings but theirs. */
export function crossingBatch({ rows, positions, columns, ...batch }: RowBatch): RowBatch {
  return {
    rows,
    positions: positions.slice(0, rows),
    columns: columns.map((column) => ownColumn(column, rows)),
    ...batch,
  }
}

/** The memory that is handed over with a batch. */
export function memoryOfBatch({ positions, columns }: RowBatch): ArrayBuffer[] {
  return [positions.buffer as ArrayBuffer, ...columns.flatMap((column) => buffersOf(column) as ArrayBuffer[])]
}

function buffersOf(column: ColumnVector): ArrayBufferLike[] {
  if (column.type === 'string') return [column.codes.buffer]
  if (column.type === 'long' && column.exact !== null) return [column.values.buffer, column.exact.buffer]
  return [column.values.buffer]
}

function ownColumn(column: ColumnVector, rows: number): ColumnVector {
  switch (column.type) {
    case 'string':
      return ownStrings(column, rows)
    case 'boolean':
      return { type: 'boolean', values: column.values.slice(0, rows) }
    case 'long':
      return { type: 'long', values: column.values.slice(0, rows), exact: column.exact?.slice(0, rows) ?? null }
    default:
      return { type: column.type, values: column.values.slice(0, rows) }
  }
}

function ownStrings({ codes, dictionary }: StringColumn, rows: number): StringColumn {
  const own = new Int32Array(rows)
  const strings: string[] = []
  const codeOf = new Map<number, number>()
  for (let row = 0; row < rows; row++) {
    const code = codes[row]
    if (code === nullCode) {
      own[row] = nullCode
      continue
    }
    let known = codeOf.get(code)
    if (known === undefined) {
      known = strings.push(dictionary[code]) - 1
      codeOf.set(code, known)
    }
    own[row] = known
  }
  return { type: 'string', codes: own, dictionary: strings }
}

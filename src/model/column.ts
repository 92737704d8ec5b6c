// Columns carry rows inside the service: from the validated push to the store, and from query execution to the response.
// Each type encodes null as a value of its own, so arrays need no null bitmap.

/** `NaN` is null; NaN and infinities cannot be stored. */
export interface DoubleColumn {
  readonly type: 'double'
  readonly values: Float64Array
}

/** Milliseconds since the epoch; `NaN` is null. */
export interface TimestampColumn {
  readonly type: 'timestamp'
  readonly values: Float64Array
}

/** `values` holds the nearest doubles, `NaN` for null. If any value exceeds 2^53 in size, `exact` holds all values exactly; otherwise it is null. */
export interface LongColumn {
  readonly type: 'long'
  readonly values: Float64Array
  readonly exact: BigInt64Array | null
}

/**
 * Codes are indexes into `dictionary`, -1 for null. Pushed batches may share one dictionary array. It only grows at its end, so a code keeps its
 * meaning and data derived from a code may be cached per dictionary array.
 */
export interface StringColumn {
  readonly type: 'string'
  readonly codes: Int32Array
  readonly dictionary: readonly string[]
}

/** 0, 1, or 2 for null. */
export interface BooleanColumn {
  readonly type: 'boolean'
  readonly values: Uint8Array
}

export type ColumnVector = DoubleColumn | TimestampColumn | LongColumn | StringColumn | BooleanColumn
export type ColumnType = ColumnVector['type']

export const nullCode = -1
export const nullBoolean = 2

/** A value read from a column: a long beyond 2^53 is a `bigint`, a timestamp is in milliseconds. */
export type Value = number | bigint | string | boolean | null

export function columnLength(column: ColumnVector): number {
  return column.type === 'string' ? column.codes.length : column.values.length
}

export function isNullAt(column: ColumnVector, row: number): boolean {
  switch (column.type) {
    case 'string':
      return column.codes[row] === nullCode
    case 'boolean':
      return column.values[row] === nullBoolean
    default:
      return Number.isNaN(column.values[row])
  }
}

/** The value of one row. For tests and rare paths: loops over rows should read the arrays directly. */
export function valueAt(column: ColumnVector, row: number): Value {
  if (isNullAt(column, row)) return null
  switch (column.type) {
    case 'string':
      return column.dictionary[column.codes[row]!]!
    case 'boolean':
      return column.values[row] === 1
    case 'long':
      if (column.exact === null) return column.values[row]!
      return Number.isSafeInteger(column.values[row]!) ? column.values[row]! : column.exact[row]!
    default:
      return column.values[row]!
  }
}

/** A column with only these rows. */
export function pickRows(column: ColumnVector, rows: readonly number[]): ColumnVector {
  switch (column.type) {
    case 'string':
      return { ...column, codes: Int32Array.from(rows, (row) => column.codes[row]!) }
    case 'boolean':
      return { ...column, values: Uint8Array.from(rows, (row) => column.values[row]!) }
    case 'long': {
      const { exact } = column
      const digits = exact === null ? null : BigInt64Array.from(rows, (row) => exact[row]!)
      return { ...column, values: Float64Array.from(rows, (row) => column.values[row]!), exact: digits }
    }
    default:
      return { ...column, values: Float64Array.from(rows, (row) => column.values[row]!) }
  }
}

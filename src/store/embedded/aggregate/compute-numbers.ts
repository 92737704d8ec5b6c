// Arithmetic on columns of numbers, many rows at a time.
import type { NumberColumn } from '../head/chunk.ts'
import { NeedsSqlEngine } from './needs-sql-engine.ts'

export type RowOperator = '+' | '-' | '*' | '/' | '%'

/** Longs with an absolute value below this are exact as doubles. */
const exactMax = 2 ** 53

/** Memory for rows [0, rows) of a column, reused for the next rows. */
export class Scratch {
  #values = new Float64Array(0)
  readonly #filledWith: number

  /** `filledWith` is the initial value of each row. */
  constructor(filledWith = 0) {
    this.#filledWith = filledWith
  }

  take(rows: number): Float64Array<ArrayBuffer> {
    if (rows > this.#values.length) {
      this.#values = new Float64Array(Math.max(rows, this.#values.length * 2)).fill(this.#filledWith)
    }
    return this.#values
  }
}

export function calculateDoubles(
  operator: Exclude<RowOperator, '%'>,
  left: Float64Array,
  right: Float64Array,
  into: Float64Array,
  rows: number,
): void {
  switch (operator) {
    case '+':
      for (let row = 0; row < rows; row++) into[row] = left[row] + right[row]
      break
    case '-':
      for (let row = 0; row < rows; row++) into[row] = left[row] - right[row]
      break
    case '*':
      for (let row = 0; row < rows; row++) into[row] = left[row] * right[row]
      break
    case '/':
      for (let row = 0; row < rows; row++) into[row] = left[row] / right[row]
      break
  }
  for (let row = 0; row < rows; row++) {
    // The difference is 0 only for finite numbers. NaN is null.
    if (into[row] - into[row] !== 0 && !Number.isNaN(left[row]) && !Number.isNaN(right[row])) throw new NeedsSqlEngine()
  }
}

export function calculateLongs(
  operator: RowOperator,
  left: NumberColumn,
  right: NumberColumn,
  values: Float64Array,
  rows: number,
): NumberColumn {
  const made: NumberColumn = { type: 'long', values, exact: null }
  const divides = operator === '/' || operator === '%'
  for (let row = 0; row < rows; row++) {
    const [a, b] = [left.values[row], right.values[row]]
    // This applies where the dividend is null, too.
    if (divides && b === 0) throw new NeedsSqlEngine()
    const value = ofDoubles(operator, a, b)
    const areExact = Math.abs(a) < exactMax && Math.abs(b) < exactMax && Math.abs(value) < exactMax
    if (areExact || Number.isNaN(a) || Number.isNaN(b)) values[row] = value + 0
    else putDigits(made, row, ofDigits(operator, digitsAt(left, row), digitsAt(right, row)))
  }
  return made
}

/** Exact where the absolute values of the numbers and of the result are below 2^53. */
function ofDoubles(operator: RowOperator, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return (a - (a % b)) / b
    case '%':
      return a % b
  }
}

function ofDigits(operator: RowOperator, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '%':
      return a % b
  }
}

export function absoluteLongs(operand: NumberColumn, values: Float64Array, rows: number): NumberColumn {
  const made: NumberColumn = { type: 'long', values, exact: null }
  for (let row = 0; row < rows; row++) {
    const value = Math.abs(operand.values[row])
    if (!(value >= exactMax)) values[row] = value
    else {
      const digits = digitsAt(operand, row)
      putDigits(made, row, digits < 0n ? -digits : digits)
    }
  }
  return made
}

export function copyLong(from: NumberColumn, to: NumberColumn, row: number): void {
  const value = from.values[row]
  if (Math.abs(value) >= exactMax) putDigits(to, row, digitsAt(from, row))
  else to.values[row] = value
}

/** The exact long of a row. */
function digitsAt({ values, exact }: NumberColumn, row: number): bigint {
  return exact !== null && Math.abs(values[row]) >= exactMax ? exact[row] : BigInt(values[row])
}

/** Wraps around at 64 bits. */
function putDigits(made: NumberColumn, row: number, digits: bigint): void {
  const long = BigInt.asIntN(64, digits)
  made.values[row] = Number(long)
  made.exact ??= new BigInt64Array(made.values.length)
  made.exact[row] = long
}

/** Truncates doubles to longs. Throws NeedsSqlEngine from 2^53 on. */
export function cutDoubles(from: Float64Array, into: Float64Array, rows: number): void {
  for (let row = 0; row < rows; row++) {
    if (Math.abs(from[row]) >= exactMax) throw new NeedsSqlEngine()
    into[row] = Math.trunc(from[row]) + 0
  }
}

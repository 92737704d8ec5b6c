// Writes results as Druid does: a bigint is a long, a number is a double in Java's notation.

import type { EngineRow, EngineValue } from '../../sql-engine/sql-engine.ts'
import { elementOf, type ValueType } from '../values/typed.ts'

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

/** `1.0`, `1.0E7`; values that JSON cannot represent become texts. */
function doubleText(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const size = Math.abs(value)
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value)
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`
}

export function jsonText(value: JsonValue): string {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'number':
      return doubleText(value)
    case 'string':
      return JSON.stringify(value)
    default:
      return isList(value) ? `[${value.map(jsonText).join(',')}]` : objectText(value)
  }
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)

function objectText(value: { readonly [name: string]: JsonValue }): string {
  return `{${Object.keys(value)
    .map((name) => `${JSON.stringify(name)}:${jsonText(value[name]!)}`)
    .join(',')}}`
}

/** A column of a result. */
export interface OutputColumn {
  readonly name: string
  readonly type: ValueType | null
  /** Whether it is a multi-value column; a single value is written without brackets. */
  readonly isMulti?: boolean
}

export function outputValue(value: EngineValue | undefined, type: ValueType | null): JsonValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'object') return value.map((item) => outputValue(item, elementOf(type) ?? type))
  if (type === 'LONG') return typeof value === 'number' ? BigInt(value) : value
  return typeof value === 'bigint' ? Number(value) : value
}

/** Matches the engine's JSON notation for doubles that JSON cannot represent, to replace it with a text, as elsewhere. */
const looseNumber = /"(?:[^"\\]|\\.)*(?:"|\\?$)|(-?)(?:(nan)|inf(?:inity)?)/gi
const strictJson = (json: string): string =>
  /nan|inf/i.test(json)
    ? json.replace(looseNumber, (found, sign: string | undefined, word: string | undefined) =>
        found.startsWith('"') ? found : word === undefined ? `"${sign}Infinity"` : '"NaN"',
      )
    : json

/** A value as JSON; JSON columns are written unchanged. */
function cellText(value: EngineValue | undefined, { type, isMulti }: Omit<OutputColumn, 'name'>): string {
  if (type === 'COMPLEX<json>' && typeof value === 'string') return strictJson(value)
  const output = outputValue(value, type)
  return jsonText(isMulti && isList(output) && output.length === 1 ? output[0]! : output)
}

type Cell = Omit<OutputColumn, 'name'> & { readonly at: number }

/** Writes engine rows whose columns begin at index `from`. Of columns with the same name the last is written, as in a map. */
export class RowWriter {
  readonly #columns: readonly (Cell & { readonly key: string })[]
  readonly #all: readonly Cell[]

  constructor(columns: readonly OutputColumn[], from: number) {
    this.#all = columns.map((column, index) => ({ ...column, at: from + index }))
    const byName = new Map(columns.map((column, index) => [column.name, { ...column, at: from + index }]))
    this.#columns = [...byName].map(([name, cell]) => ({ ...cell, key: `${JSON.stringify(name)}:` }))
  }

  object(row: EngineRow): string {
    let text = ''
    for (const cell of this.#columns) text += `${text === '' ? '' : ','}${cell.key}${cellText(row[cell.at], cell)}`
    return `{${text}}`
  }

  /** The values as a list without brackets. */
  values(row: EngineRow): string {
    return this.#all.map((cell) => cellText(row[cell.at], cell)).join(',')
  }
}

/** Text is passed on in pieces of about this length. */
const pieceLength = 65_536

/** A text, or the pieces of a long one. */
export type JsonItem = string | Iterable<string>

/** A JSON list of the items, in pieces. */
export async function* jsonList(items: Iterable<JsonItem> | AsyncIterable<JsonItem>): AsyncGenerator<string> {
  let piece = '['
  let isFirst = true
  for await (const item of items) {
    if (!isFirst) piece += ','
    isFirst = false
    for (const part of typeof item === 'string' ? [item] : item) {
      piece += part
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
    }
  }
  yield `${piece}]`
}

/** A JSON object whose last member is a list, in pieces. */
function* withList(head: string, items: Iterable<string>): Generator<string> {
  yield `${head}[`
  let separator = ''
  for (const item of items) {
    yield separator
    yield item
    separator = ','
  }
  yield ']}'
}

export function* mapped<From, To>(items: Iterable<From>, map: (item: From) => To): Generator<To> {
  for (const item of items) yield map(item)
}

/** An entry of a timeseries; both arguments are JSON. */
export const timeseriesEntry = (time: string, values: string): string => `{"timestamp":${time},"result":${values}}`

/** An entry of a topN or a search: the rows of one bucket. */
export const listEntry = (time: string, rows: Iterable<string>): JsonItem =>
  withList(`{"timestamp":${time},"result":`, rows)

/** A row of a groupBy as an object. */
export const groupByEvent = (time: string, values: string): string =>
  `{"version":"v1","timestamp":${time},"event":${values}}`

/** A row of a groupBy as a list, preceded by the start of its bucket if there is one; `values` has no brackets. */
export const groupByList = (ms: number | null, values: string): string =>
  `[${[...(ms === null ? [] : [String(ms)]), ...(values === '' ? [] : [values])].join(',')}]`

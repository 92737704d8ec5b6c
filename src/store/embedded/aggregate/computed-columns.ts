// Computed fields as columns, made for a range of rows at a time.
import type { ComputedField } from '../../../algebra/computed-fields.ts'
import type { FunctionName, ScalarType } from '../../../algebra/functions.ts'
import {
  type CallNode,
  type CaseNode,
  type LiteralNode,
  literal,
  partsOf,
  type Scalar,
} from '../../../algebra/scalar.ts'
import { roundedTo } from '../../../lib/rounded-to.ts'
import { nullCode } from '../../../model/column.ts'
import { type Chunk, type ChunkColumn, type NumberColumn, newColumn, type RowSlice } from '../head/chunk.ts'
import { Dictionary } from '../head/dictionary.ts'
import { type FieldAccessor, keyAt } from '../run/field-accessor.ts'
import {
  absoluteLongs,
  calculateDoubles,
  calculateLongs,
  copyLong,
  cutDoubles,
  type RowOperator,
  Scratch,
} from './compute-numbers.ts'
import { conditionsOf, filterTests } from './row-conditions.ts'

/** Makes rows [0, rows) of a column from the same rows of a piece. Each call overwrites the column that the call before returned. */
type Maker<Column extends ChunkColumn> = (piece: Chunk, rows: number, series: number) => Column

/** The cost of rounding one row, in pacer units. */
const roundingUnits = 8

export class ComputedColumns {
  /** The cost of one row, in pacer units. */
  readonly cost: number
  readonly #own: readonly number[]
  readonly #makers: readonly { readonly index: number; readonly make: Maker<ChunkColumn> }[]
  readonly #accessors = new Map<string, FieldAccessor>()

  /** `fields` are sorted: each comes after the fields that it is computed from. `own` reads the fields of the entity. */
  constructor(fields: readonly ComputedField[], own: ReadonlyMap<string, FieldAccessor>) {
    const indices = [...own.values()].flatMap((accessor) => (accessor.kind === 'column' ? [accessor.index] : []))
    const first = Math.max(-1, ...indices) + 1
    this.#own = indices
    this.cost = fields.reduce((sum, { value }) => sum + costOf(value), 0)
    const accessorOf = (name: string): FieldAccessor => this.#accessors.get(name) ?? own.get(name)!
    this.#makers = fields.map(({ field: { name, type }, value }, place) => {
      const index = first + place
      const dictionary = new Dictionary()
      if (type === 'json') throw new Error('no json is computed')
      const make = type === 'string' ? textMaker(value, accessorOf, dictionary) : numberMaker(value, accessorOf)
      this.#accessors.set(name, { kind: 'column', type, index, dictionary })
      return { index, make }
    })
  }

  /** Null for a field that is not computed. */
  accessor(name: string): FieldAccessor | null {
    return this.#accessors.get(name) ?? null
  }

  /** The same rows as a separate chunk with their computed columns. It is valid until the next call. */
  over({ chunk, start, end }: RowSlice, series: number): RowSlice {
    const piece = new Piece(chunk, start, end)
    for (const index of this.#own) {
      const column = chunk.columns[index]
      if (column !== undefined) piece.columns[index] = partOf(column, start, end)
    }
    for (const { index, make } of this.#makers) piece.columns[index] = make(piece, end - start, series)
    return { chunk: piece, start: 0, end: end - start }
  }
}

class Piece implements Chunk {
  readonly times: Float64Array
  readonly columns: (ChunkColumn | undefined)[] = []
  readonly #chunk: Chunk
  readonly #start: number
  readonly #end: number

  constructor(chunk: Chunk, start: number, end: number) {
    this.times = chunk.times.subarray(start, end)
    this.#chunk = chunk
    this.#start = start
    this.#end = end
  }

  get positions(): Float64Array {
    return this.#chunk.positions.subarray(this.#start, this.#end)
  }
}

function partOf(column: ChunkColumn, start: number, end: number): ChunkColumn {
  switch (column.type) {
    case 'string':
      return { ...column, codes: column.codes.subarray(start, end) }
    case 'boolean':
      return { ...column, values: column.values.subarray(start, end) }
    default:
      return {
        ...column,
        values: column.values.subarray(start, end),
        exact: column.exact?.subarray(start, end) ?? null,
      }
  }
}

function costOf(value: Scalar): number {
  if (value.type === 'boolean') return conditionsOf(value)
  const own = value.kind === 'call' && value.name === 'round' ? roundingUnits : 1
  return partsOf(value).reduce((sum, part) => sum + costOf(part), own)
}

type AccessorOf = (name: string) => FieldAccessor

function numberMaker(value: Scalar, accessorOf: AccessorOf): Maker<NumberColumn> {
  switch (value.kind) {
    case 'field':
      return fieldMaker(accessorOf(value.field.name))
    case 'literal': {
      const constants = new Scratch(value.value === null ? Number.NaN : Number(value.value))
      const type = value.type === 'long' ? 'long' : 'double'
      return (_, rows) => ({ type, values: constants.take(rows), exact: null })
    }
    case 'call':
      return calledMaker(value, accessorOf)
    case 'case':
      return choiceMaker(value, accessorOf)
    case 'cell':
      throw new Error('rows have fields, not cells')
  }
}

function fieldMaker(accessor: FieldAccessor): Maker<NumberColumn> {
  if (accessor.kind !== 'column') throw new Error('only metrics and dimensions hold numbers')
  const nulls = new Scratch(Number.NaN)
  return (piece, rows) => {
    const column = piece.columns[accessor.index]
    if (column === undefined) return { type: 'double', values: nulls.take(rows), exact: null }
    if (column.type === 'string' || column.type === 'boolean') throw new Error('only numbers are calculated with')
    return column
  }
}

function calledMaker({ type, name, operands }: CallNode, accessorOf: AccessorOf): Maker<NumberColumn> {
  switch (name) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmeticMaker(name, type, operands, accessorOf)
    case 'negate':
      return type === 'double'
        ? eachDouble(numberMaker(operands[0], accessorOf), (number) => -number)
        : arithmeticMaker('-', type, [literal('long', 0n), operands[0]], accessorOf)
    case 'coalesce':
      return firstMaker(
        type,
        operands.map((operand) => numberMaker(operand, accessorOf)),
      )
    case 'round': {
      const places = Number((operands[1] as LiteralNode).value)
      return eachDouble(numberMaker(operands[0], accessorOf), (number) => roundedTo(number, places))
    }
    default:
      return unaryMaker(name, type, numberMaker(operands[0], accessorOf))
  }
}

function arithmeticMaker(
  operator: RowOperator,
  type: ScalarType,
  [left, right]: readonly Scalar[],
  accessorOf: AccessorOf,
): Maker<NumberColumn> {
  const [makeLeft, makeRight] = [numberMaker(left, accessorOf), numberMaker(right, accessorOf)]
  const into = new Scratch()
  return (piece, rows, series) => {
    const a = makeLeft(piece, rows, series)
    const b = makeRight(piece, rows, series)
    const values = into.take(rows)
    if (type === 'long' || operator === '%') return calculateLongs(operator, a, b, values, rows)
    calculateDoubles(operator, a.values, b.values, values, rows)
    return { type: 'double', values, exact: null }
  }
}

function unaryMaker(name: FunctionName, type: ScalarType, make: Maker<NumberColumn>): Maker<NumberColumn> {
  if (name === 'toDouble')
    return (piece, rows, series) => ({ ...make(piece, rows, series), type: 'double', exact: null })
  if (name === 'floor') return eachDouble(make, Math.floor)
  if (name === 'ceil') return eachDouble(make, Math.ceil)
  if (name === 'abs' && type === 'double') return eachDouble(make, Math.abs)
  const into = new Scratch()
  return (piece, rows, series) => {
    const column = make(piece, rows, series)
    const values = into.take(rows)
    if (name === 'abs') return absoluteLongs(column, values, rows)
    cutDoubles(column.values, values, rows)
    return { type: 'long', values, exact: null }
  }
}

/** The first value of each row that is not null. */
function firstMaker(type: ScalarType, makers: readonly Maker<NumberColumn>[]): Maker<NumberColumn> {
  const into = new Scratch()
  return (piece, rows, series) => {
    const made: NumberColumn = { type: type === 'long' ? 'long' : 'double', values: into.take(rows), exact: null }
    made.values.fill(Number.NaN, 0, rows)
    for (const make of makers) {
      const column = make(piece, rows, series)
      for (let row = 0; row < rows; row++) if (Number.isNaN(made.values[row])) putNumber(column, made, row)
    }
    return made
  }
}

function putNumber(from: NumberColumn, to: NumberColumn, row: number): void {
  if (to.type === 'long') copyLong(from, to, row)
  else to.values[row] = from.values[row]
}

function eachDouble(operand: Maker<NumberColumn>, changed: (value: number) => number): Maker<NumberColumn> {
  const into = new Scratch()
  return (piece, rows, series) => {
    const from = operand(piece, rows, series).values
    const values = into.take(rows)
    for (let row = 0; row < rows; row++) values[row] = Number.isNaN(from[row]) ? Number.NaN : changed(from[row])
    return { type: 'double', values, exact: null }
  }
}

/** The index of each row's branch; the number of branches where no branch matches. The result is valid until the next call. */
function chooser(
  { branches }: CaseNode,
  accessorOf: AccessorOf,
): (piece: Chunk, rows: number, series: number) => Uint16Array {
  const tests = branches.map(({ when }) => filterTests(when, accessorOf))
  const none = branches.length
  let places = new Uint16Array(0)
  return (piece, rows, series) => {
    if (places.length < rows) places = new Uint16Array(rows)
    places.fill(none, 0, rows)
    for (const [place, { passesSeries, passesRow }] of tests.entries()) {
      // The condition on the series is tested once. Rows that already have a branch are not tested again.
      if (!passesSeries(series)) continue
      for (let row = 0; row < rows; row++) {
        if (places[row] === none && (passesRow === null || passesRow(piece, row, series))) places[row] = place
      }
    }
    return places
  }
}

const resultsOf = ({ branches, otherwise }: CaseNode): readonly Scalar[] => [
  ...branches.map(({ result }) => result),
  otherwise,
]

function choiceMaker(choice: CaseNode, accessorOf: AccessorOf): Maker<NumberColumn> {
  const choose = chooser(choice, accessorOf)
  const makers = resultsOf(choice).map((result) => numberMaker(result, accessorOf))
  const into = new Scratch()
  return (piece, rows, series) => {
    const columns = makers.map((make) => make(piece, rows, series))
    const made: NumberColumn = {
      type: choice.type === 'long' ? 'long' : 'double',
      values: into.take(rows),
      exact: null,
    }
    const places = choose(piece, rows, series)
    for (let row = 0; row < rows; row++) putNumber(columns[places[row]], made, row)
    return made
  }
}

/** Strings of a CASE or a COALESCE. Their codes belong to one dictionary. */
function textMaker(value: Scalar, accessorOf: AccessorOf, dictionary: Dictionary): Maker<ChunkColumn> {
  const codeOf = textCode(value, accessorOf, dictionary)
  let made = newColumn('string', 0, dictionary.strings)
  return (piece, rows, series) => {
    if (made.type !== 'string' || made.codes.length < rows) made = newColumn('string', rows, dictionary.strings)
    if (made.type !== 'string') throw new Error('codes are of texts')
    const codes = codeOf(piece, rows, series)
    for (let row = 0; row < rows; row++) made.codes[row] = codes(row)
    return made
  }
}

/** The code of each row of a piece. */
type Codes = (piece: Chunk, rows: number, series: number) => (row: number) => number

function textCode(value: Scalar, accessorOf: AccessorOf, dictionary: Dictionary): Codes {
  if (value.kind === 'case') {
    const choose = chooser(value, accessorOf)
    const results = resultsOf(value).map((result) => leafCode(result, accessorOf, dictionary))
    return (piece, rows, series) => {
      const places = choose(piece, rows, series)
      return (row) => results[places[row]](piece, row, series)
    }
  }
  if (value.kind !== 'call' || value.name !== 'coalesce') throw new Error('a text is not computed, only chosen')
  const operands = value.operands.map((operand) => leafCode(operand, accessorOf, dictionary))
  return (piece, _, series) => (row) => {
    for (const codeOf of operands) {
      const code = codeOf(piece, row, series)
      if (code !== nullCode) return code
    }
    return nullCode
  }
}

function leafCode(
  value: Scalar,
  accessorOf: AccessorOf,
  dictionary: Dictionary,
): (piece: Chunk, row: number, series: number) => number {
  if (value.kind === 'literal') {
    const code = value.value === null ? nullCode : dictionary.codeFor(String(value.value))
    return () => code
  }
  if (value.kind !== 'field') throw new Error('a text is one of the entity, or a constant')
  const accessor = accessorOf(value.field.name)
  if (accessor.kind === 'time') throw new Error('the time is no text')
  return (piece, row, series) => {
    const code = keyAt(accessor, piece, row, series)
    return code === null ? nullCode : dictionary.codeFrom(accessor.dictionary.strings, Number(code))
  }
}

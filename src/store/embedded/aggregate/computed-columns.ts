// Columns of computed fields, for some rows at a time.
import { roundedTo } from '../../../lib/rounded-to.ts'
import { nullCode } from '../../../model/column.ts'
import { type ComputedField, partsOfValue, type RowValue } from '../../../model/row-value.ts'
import { type Chunk, type ChunkColumn, type NumberColumn, newColumn, type Stretch } from '../head/chunk.ts'
import { Dictionary } from '../head/dictionary.ts'
import { type FieldAccessor, keyAt } from '../run/field-accessor.ts'
import { absoluteLongs, calculateDoubles, calculateLongs, copyLong, cutDoubles, Scratch } from './compute-numbers.ts'
import { conditionsOf, filterTests } from './row-conditions.ts'

/** Makes rows [0, rows) of a column, of the same rows of a piece. It writes over the column that it made before. */
type Maker<Column extends ChunkColumn> = (piece: Chunk, rows: number, series: number) => Column

/** What a row costs to be rounded, in the units of a pacer. */
const roundingUnits = 8

export class ComputedColumns {
  /** What a row costs, in the units of a pacer. */
  readonly cost: number
  readonly #own: readonly number[]
  readonly #makers: readonly { readonly index: number; readonly make: Maker<ChunkColumn> }[]
  readonly #accessors = new Map<string, FieldAccessor>()

  /** Each field comes after those that it is computed from. `own` reads the fields of the entity. */
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

  /** The same rows as a chunk of their own, with their computed columns. It is good until the next call. */
  over({ chunk, start, end }: Stretch, series: number): Stretch {
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

function costOf(value: RowValue): number {
  const own = value.kind === 'rounded' ? roundingUnits : 1
  const conditions =
    value.kind === 'choice' ? value.branches.reduce((sum, { passes }) => sum + conditionsOf(passes), 0) : 0
  return partsOfValue(value).reduce((sum, part) => sum + costOf(part), own + conditions)
}

type AccessorOf = (name: string) => FieldAccessor

function numberMaker(value: RowValue, accessorOf: AccessorOf): Maker<NumberColumn> {
  switch (value.kind) {
    case 'field':
      return fieldMaker(accessorOf(value.field.name))
    case 'number': {
      const constants = new Scratch(value.value)
      return (_, rows) => ({ type: value.type, values: constants.take(rows), exact: null })
    }
    case 'arithmetic':
      return arithmeticMaker(value, accessorOf)
    case 'unary':
      return unaryMaker(value, accessorOf)
    case 'rounded': {
      const operand = numberMaker(value.operand, accessorOf)
      return eachDouble(operand, (number) => roundedTo(number, value.places))
    }
    case 'choice':
      return choiceMaker(value, accessorOf)
    case 'text':
      throw new Error('a text is no number')
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

function arithmeticMaker(
  { type, operator, left, right }: Extract<RowValue, { kind: 'arithmetic' }>,
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
    return { type, values, exact: null }
  }
}

function unaryMaker(
  { type, operator, operand }: Extract<RowValue, { kind: 'unary' }>,
  accessorOf: AccessorOf,
): Maker<NumberColumn> {
  const make = numberMaker(operand, accessorOf)
  if (operator === 'double') return (piece, rows, series) => ({ ...make(piece, rows, series), type, exact: null })
  if (operator === 'floor') return eachDouble(make, Math.floor)
  if (operator === 'ceil') return eachDouble(make, Math.ceil)
  if (operator === 'abs' && type === 'double') return eachDouble(make, Math.abs)
  const into = new Scratch()
  return (piece, rows, series) => {
    const column = make(piece, rows, series)
    const values = into.take(rows)
    if (operator === 'abs') return absoluteLongs(column, values, rows)
    cutDoubles(column.values, values, rows)
    return { type, values, exact: null }
  }
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

type Choice = Extract<RowValue, { kind: 'choice' }>

/** The place of each row's branch; the number of branches where it has none. The answer is good until the next call. */
function chooser(
  { branches }: Choice,
  accessorOf: AccessorOf,
): (piece: Chunk, rows: number, series: number) => Uint16Array {
  const tests = branches.map(({ passes }) => filterTests(passes, accessorOf))
  const none = branches.length
  let places = new Uint16Array(0)
  return (piece, rows, series) => {
    if (places.length < rows) places = new Uint16Array(rows)
    places.fill(none, 0, rows)
    for (const [place, { passesSeries, passesRow }] of tests.entries()) {
      // The condition on the series is asked once, and rows that have a branch are not asked again.
      if (!passesSeries(series)) continue
      for (let row = 0; row < rows; row++) {
        if (places[row] === none && (passesRow === null || passesRow(piece, row, series))) places[row] = place
      }
    }
    return places
  }
}

const resultsOf = ({ branches, otherwise }: Choice): readonly (RowValue | null)[] => [
  ...branches.map(({ value }) => value),
  otherwise,
]

function choiceMaker(choice: Choice, accessorOf: AccessorOf): Maker<NumberColumn> {
  const choose = chooser(choice, accessorOf)
  const makers = resultsOf(choice).map((result) => (result === null ? null : numberMaker(result, accessorOf)))
  const into = new Scratch()
  return (piece, rows, series) => {
    const columns = makers.map((make) => make?.(piece, rows, series) ?? null)
    const made: NumberColumn = {
      type: choice.type === 'long' ? 'long' : 'double',
      values: into.take(rows),
      exact: null,
    }
    const places = choose(piece, rows, series)
    for (let row = 0; row < rows; row++) {
      const column = columns[places[row]]
      if (column === null) made.values[row] = Number.NaN
      else if (made.type === 'long') copyLong(column, made, row)
      else made.values[row] = column.values[row]
    }
    return made
  }
}

/** Texts of a CASE, whose codes are in one dictionary. */
function textMaker(value: RowValue, accessorOf: AccessorOf, dictionary: Dictionary): Maker<ChunkColumn> {
  if (value.kind !== 'choice') throw new Error('a text is not computed, only chosen')
  const choose = chooser(value, accessorOf)
  const codes = resultsOf(value).map((result) => codeMaker(result, accessorOf, dictionary))
  let made = newColumn('string', 0, dictionary.strings)
  return (piece, rows, series) => {
    if (made.type !== 'string' || made.codes.length < rows) made = newColumn('string', rows, dictionary.strings)
    if (made.type !== 'string') throw new Error('codes are of texts')
    const places = choose(piece, rows, series)
    for (let row = 0; row < rows; row++) made.codes[row] = codes[places[row]](piece, row, series)
    return made
  }
}

type CodeOf = (piece: Chunk, row: number, series: number) => number

function codeMaker(value: RowValue | null, accessorOf: AccessorOf, dictionary: Dictionary): CodeOf {
  if (value === null) return () => nullCode
  if (value.kind === 'text') {
    const code = dictionary.codeFor(value.value)
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

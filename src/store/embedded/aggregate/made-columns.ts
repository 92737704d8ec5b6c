// Columns of values that are worked out of each row, made for some rows at a time.
import { roundedTo } from '../../../lib/rounded-to.ts'
import { nullCode } from '../../../model/column.ts'
import { type MadeField, partsOfValue, type RowValue } from '../../../model/row-value.ts'
import { type Chunk, type ChunkColumn, type NumberColumn, newColumn, type Stretch } from '../head/chunk.ts'
import { Dictionary } from '../head/dictionary.ts'
import { type FieldAccessor, keyAt } from '../run/field-accessor.ts'
import { absoluteLongs, calculateDoubles, calculateLongs, copyLong, cutDoubles, Scratch } from './made-numbers.ts'
import { conditionsOf, filterTests } from './row-conditions.ts'

/** Makes rows [0, rows) of a column; what it gave before is written over. */
type Maker<Made extends ChunkColumn> = (piece: Chunk, rows: number, series: number) => Made

/** What a row costs to be rounded, in the units of a pacer. */
const roundingUnits = 8

export class MadeColumns {
  /** What a row costs, in the units of a pacer. */
  readonly cost: number
  readonly #own: readonly number[]
  readonly #makers: readonly { readonly index: number; readonly make: Maker<ChunkColumn> }[]
  readonly #readers = new Map<string, FieldAccessor>()

  /** Those that are made of others come after them. `own` reads the fields of the entity. */
  constructor(made: readonly MadeField[], own: ReadonlyMap<string, FieldAccessor>) {
    const indices = [...own.values()].flatMap((reader) => (reader.kind === 'column' ? [reader.index] : []))
    const first = Math.max(-1, ...indices) + 1
    this.#own = indices
    this.cost = made.reduce((sum, { value }) => sum + costOf(value), 0)
    const readerOf = (name: string): FieldAccessor => this.#readers.get(name) ?? own.get(name)!
    this.#makers = made.map(({ field: { name, type }, value }, place) => {
      const index = first + place
      const dictionary = new Dictionary()
      if (type === 'json') throw new Error('no json is made')
      const make = type === 'string' ? textMaker(value, readerOf, dictionary) : numberMaker(value, readerOf)
      this.#readers.set(name, { kind: 'column', type, index, dictionary })
      return { index, make }
    })
  }

  /** Null for what is not made. */
  reader(name: string): FieldAccessor | null {
    return this.#readers.get(name) ?? null
  }

  /** The same rows as a chunk of their own, with what is made of them: until it is asked for the next. */
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

type ReaderOf = (name: string) => FieldAccessor

function numberMaker(value: RowValue, readerOf: ReaderOf): Maker<NumberColumn> {
  switch (value.kind) {
    case 'field':
      return fieldMaker(readerOf(value.field.name))
    case 'number': {
      const constants = new Scratch(value.value)
      return (_, rows) => ({ type: value.type, values: constants.take(rows), exact: null })
    }
    case 'arithmetic':
      return arithmeticMaker(value, readerOf)
    case 'changed':
      return changedMaker(value, readerOf)
    case 'rounded': {
      const operand = numberMaker(value.operand, readerOf)
      return eachDouble(operand, (number) => roundedTo(number, value.places))
    }
    case 'choice':
      return choiceMaker(value, readerOf)
    case 'text':
      throw new Error('a text is no number')
  }
}

function fieldMaker(reader: FieldAccessor): Maker<NumberColumn> {
  if (reader.kind !== 'column') throw new Error('only metrics and dimensions hold numbers')
  const nulls = new Scratch(Number.NaN)
  return (piece, rows) => {
    const column = piece.columns[reader.index]
    if (column === undefined) return { type: 'double', values: nulls.take(rows), exact: null }
    if (column.type === 'string' || column.type === 'boolean') throw new Error('only numbers are calculated with')
    return column
  }
}

function arithmeticMaker(
  { type, operator, left, right }: Extract<RowValue, { kind: 'arithmetic' }>,
  readerOf: ReaderOf,
): Maker<NumberColumn> {
  const [makeLeft, makeRight] = [numberMaker(left, readerOf), numberMaker(right, readerOf)]
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

function changedMaker(
  { type, change, operand }: Extract<RowValue, { kind: 'changed' }>,
  readerOf: ReaderOf,
): Maker<NumberColumn> {
  const made = numberMaker(operand, readerOf)
  if (change === 'double') return (piece, rows, series) => ({ ...made(piece, rows, series), type, exact: null })
  if (change === 'floor') return eachDouble(made, Math.floor)
  if (change === 'ceil') return eachDouble(made, Math.ceil)
  if (change === 'abs' && type === 'double') return eachDouble(made, Math.abs)
  const into = new Scratch()
  return (piece, rows, series) => {
    const column = made(piece, rows, series)
    const values = into.take(rows)
    if (change === 'abs') return absoluteLongs(column, values, rows)
    cutDoubles(column.values, values, rows)
    return { type, values, exact: null }
  }
}

function eachDouble(operand: Maker<NumberColumn>, change: (value: number) => number): Maker<NumberColumn> {
  const into = new Scratch()
  return (piece, rows, series) => {
    const from = operand(piece, rows, series).values
    const values = into.take(rows)
    for (let row = 0; row < rows; row++) values[row] = Number.isNaN(from[row]) ? Number.NaN : change(from[row])
    return { type: 'double', values, exact: null }
  }
}

type Choice = Extract<RowValue, { kind: 'choice' }>

/** Which of the branches is that of each row; as many as there are, where none is. Until it is asked for the next. */
function chooser(
  { branches }: Choice,
  readerOf: ReaderOf,
): (piece: Chunk, rows: number, series: number) => Uint16Array {
  const tests = branches.map(({ passes }) => filterTests(passes, readerOf))
  const none = branches.length
  let places = new Uint16Array(0)
  return (piece, rows, series) => {
    if (places.length < rows) places = new Uint16Array(rows)
    places.fill(none, 0, rows)
    for (const [place, { passesSeries, passesRow }] of tests.entries()) {
      // Asked once for all rows of a series, and not of rows that have a branch already.
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

function choiceMaker(choice: Choice, readerOf: ReaderOf): Maker<NumberColumn> {
  const choose = chooser(choice, readerOf)
  const makers = resultsOf(choice).map((result) => (result === null ? null : numberMaker(result, readerOf)))
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

/** Texts that are chosen, with their codes in one dictionary. */
function textMaker(value: RowValue, readerOf: ReaderOf, dictionary: Dictionary): Maker<ChunkColumn> {
  if (value.kind !== 'choice') throw new Error('texts are chosen alone')
  const choose = chooser(value, readerOf)
  const codes = resultsOf(value).map((result) => codeMaker(result, readerOf, dictionary))
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

function codeMaker(value: RowValue | null, readerOf: ReaderOf, dictionary: Dictionary): CodeOf {
  if (value === null) return () => nullCode
  if (value.kind === 'text') {
    const code = dictionary.codeFor(value.value)
    return () => code
  }
  if (value.kind !== 'field') throw new Error('a text is one of the entity, or a constant')
  const reader = readerOf(value.field.name)
  if (reader.kind === 'time') throw new Error('the time is no text')
  return (piece, row, series) => {
    const code = keyAt(reader, piece, row, series)
    return code === null ? nullCode : dictionary.codeFrom(reader.dictionary.strings, Number(code))
  }
}

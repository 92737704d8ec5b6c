// Filters as tests of rows. What a filter says of tags holds for all rows of a series, and is asked once a series.
import { compareCodePoints } from '../../../lib/compare-code-points.ts'
import { likeTest } from '../../../lib/like-matcher.ts'
import { nullCode } from '../../../model/column.ts'
import type { RowFilter, ValueBounds } from '../../../model/row-condition.ts'
import { type Chunk, newChunk } from '../head/chunk.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'

type RowTest = (chunk: Chunk, row: number, series: number) => boolean

interface CompiledTest {
  readonly test: RowTest
  /** Whether it looks at nothing but tags. */
  readonly isOfSeries: boolean
}

export interface FilterTests {
  /** Whether any row of a series may pass. */
  readonly passesSeries: (series: number) => boolean
  /** What a row of such a series must pass too; null where all its rows do. */
  readonly passesRow: RowTest | null
}

const noRows = newChunk(0)
const pass: FilterTests = { passesSeries: () => true, passesRow: null }

export function filterTests(filter: RowFilter | null, accessorOf: (name: string) => FieldAccessor): FilterTests {
  if (filter === null) return pass
  const parts = filter.kind === 'and' ? filter.filters : [filter]
  const tests = parts.map((part) => compileTest(part, accessorOf))
  const ofSeries = tests.filter(({ isOfSeries }) => isOfSeries).map(({ test }) => test)
  const ofRows = tests.filter(({ isOfSeries }) => !isOfSeries).map(({ test }) => test)
  return {
    passesSeries: (series) => ofSeries.every((test) => test(noRows, 0, series)),
    passesRow: ofRows.length === 0 ? null : allOf(ofRows),
  }
}

/** How many conditions a row may have to be held against. */
export function conditionsOf(filter: RowFilter | null): number {
  if (filter === null) return 0
  return 'filters' in filter ? filter.filters.reduce((sum, part) => sum + conditionsOf(part), 1) : 1
}

function compileTest(filter: RowFilter, accessorOf: (name: string) => FieldAccessor): CompiledTest {
  switch (filter.kind) {
    case 'constant':
      return { test: () => filter.value, isOfSeries: true }
    case 'and':
    case 'or': {
      const parts = filter.filters.map((part) => compileTest(part, accessorOf))
      const tests = parts.map(({ test }) => test)
      const isOfSeries = parts.every((part) => part.isOfSeries)
      return { test: filter.kind === 'and' ? allOf(tests) : anyOf(tests), isOfSeries }
    }
    case 'null':
      return nullTest(accessorOf(filter.field.name), filter.isNegated)
    case 'texts': {
      const values = new Set(filter.values)
      return textTest(accessorOf(filter.field.name), (text) => values.has(text) !== filter.isNegated)
    }
    case 'like': {
      const isLike = likeTest(filter.pattern, filter.escapedBy)
      return textTest(accessorOf(filter.field.name), (text) => isLike(text) !== filter.isNegated)
    }
    case 'textRange':
      return textTest(accessorOf(filter.field.name), (text) => {
        return isWithin(filter, (bound) => compareCodePoints(text, bound)) !== filter.isNegated
      })
    case 'numbers': {
      const values = new Set(filter.values)
      return numberTest(accessorOf(filter.field.name), (value) => values.has(value) !== filter.isNegated)
    }
    case 'numberRange':
      return numberTest(accessorOf(filter.field.name), rangeTest(filter))
  }
}

function allOf(tests: readonly RowTest[]): RowTest {
  const [only] = tests
  if (tests.length === 1) return only
  return (chunk, row, series) => tests.every((test) => test(chunk, row, series))
}

function anyOf(tests: readonly RowTest[]): RowTest {
  return (chunk, row, series) => tests.some((test) => test(chunk, row, series))
}

/** `compare` orders the value and a bound. */
function isWithin<Bound>(
  { lower, upper, isLowerOpen, isUpperOpen }: ValueBounds<Bound>,
  compare: (bound: Bound) => number,
): boolean {
  if (lower !== null) {
    const order = compare(lower)
    if (order < 0 || (isLowerOpen && order === 0)) return false
  }
  if (upper === null) return true
  const order = compare(upper)
  return order < 0 || (!isUpperOpen && order === 0)
}

/** It is asked for each row: so no function is made for a value, as `isWithin` has it. */
function rangeTest({
  lower,
  upper,
  isLowerOpen,
  isUpperOpen,
  isNegated,
}: ValueBounds<number> & { readonly isNegated: boolean }): (value: number) => boolean {
  const least = lower ?? Number.NEGATIVE_INFINITY
  const greatest = upper ?? Number.POSITIVE_INFINITY
  return (value) => {
    const isBelow = value < least || (isLowerOpen && value === lower)
    const isAbove = value > greatest || (isUpperOpen && value === upper)
    return (isBelow || isAbove) === isNegated
  }
}

function nullTest(accessor: FieldAccessor, isNegated: boolean): CompiledTest {
  switch (accessor.kind) {
    case 'absent':
      return { test: () => !isNegated, isOfSeries: true }
    case 'tag': {
      const { tag } = accessor
      return { test: (_, __, series) => tag.codes.values[series] < 0 !== isNegated, isOfSeries: true }
    }
    case 'column': {
      const { index, type } = accessor
      const isNull: RowTest = (chunk, row) => {
        const column = chunk.columns[index]
        if (column === undefined) return true
        return column.type === 'string' ? column.codes[row] === nullCode : Number.isNaN(column.values[row])
      }
      if (type === 'boolean') throw new Error('truth values are not filtered by')
      return { test: (chunk, row, series) => isNull(chunk, row, series) !== isNegated, isOfSeries: false }
    }
    case 'time':
      throw new Error('the time is not filtered by: ranges say which rows count')
  }
}

/** A null passes neither a condition nor what it negates. */
function textTest(accessor: FieldAccessor, passes: (text: string) => boolean): CompiledTest {
  switch (accessor.kind) {
    case 'absent':
      return { test: () => false, isOfSeries: true }
    case 'tag': {
      const { tag } = accessor
      const { strings } = accessor.dictionary
      const verdict = verdicts(passes)
      return {
        test: (_, __, series) => {
          const code = tag.codes.values[series]
          return code >= 0 && verdict(strings, code)
        },
        isOfSeries: true,
      }
    }
    case 'column': {
      const { index } = accessor
      const verdict = verdicts(passes)
      const test: RowTest = (chunk, row) => {
        const column = chunk.columns[index]
        if (column?.type !== 'string') return false
        const code = column.codes[row]
        return code !== nullCode && verdict(column.dictionary, code)
      }
      return { test, isOfSeries: false }
    }
    case 'time':
      throw new Error('the time is no text')
  }
}

/** Each text of a dictionary is looked at once. */
function verdicts(passes: (text: string) => boolean): (dictionary: readonly string[], code: number) => boolean {
  const known = new WeakMap<readonly string[], (boolean | undefined)[]>()
  let last: readonly string[] | null = null
  let ofLast: (boolean | undefined)[] = []
  return (dictionary, code) => {
    if (dictionary !== last) {
      last = dictionary
      ofLast = known.get(dictionary) ?? []
      known.set(dictionary, ofLast)
    }
    const verdict = ofLast[code] ?? passes(dictionary[code])
    ofLast[code] = verdict
    return verdict
  }
}

function numberTest(accessor: FieldAccessor, passes: (value: number) => boolean): CompiledTest {
  if (accessor.kind !== 'column') throw new Error('only metrics and dimensions hold numbers')
  const { index } = accessor
  const test: RowTest = (chunk, row) => {
    const column = chunk.columns[index]
    if (column === undefined || column.type === 'string' || column.type === 'boolean') return false
    const value = column.values[row]
    return !Number.isNaN(value) && passes(value)
  }
  return { test, isOfSeries: false }
}

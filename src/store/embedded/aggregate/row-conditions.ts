// Filters as tests of rows. Conditions on tags apply to all rows of a series and are tested once for each series.
import { conjuncts, type LiteralNode, partsOf, type Scalar } from '../../../algebra/scalar.ts'
import { compareCodePoints } from '../../../lib/compare-code-points.ts'
import { type ComparisonOperator, negated, satisfies } from '../../../lib/comparison-operator.ts'
import { likeTest } from '../../../lib/like-matcher.ts'
import { nullCode } from '../../../model/column.ts'
import { type QualityCoding, qualityOf } from '../../../model/quality.ts'
import { type Chunk, newChunk } from '../head/chunk.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'

export type RowTest = (chunk: Chunk, row: number, series: number) => boolean

interface CompiledTest {
  readonly test: RowTest
  /** Whether it depends on tags alone. */
  readonly isOfSeries: boolean
}

export interface FilterTests {
  /** Whether rows of a series can pass. */
  readonly passesSeries: (series: number) => boolean
  /** The test for the rows of such a series; null where all of them pass. */
  readonly passesRow: RowTest | null
}

const noRows = newChunk(0)
const pass: FilterTests = { passesSeries: () => true, passesRow: null }

/** `filter` is a condition on fields and constants. */
export function filterTests(filter: Scalar | null, accessorOf: (name: string) => FieldAccessor): FilterTests {
  if (filter === null) return pass
  const tests = conjuncts(filter).map((part) => compileTest(part, true, accessorOf))
  const ofSeries = tests.filter(({ isOfSeries }) => isOfSeries).map(({ test }) => test)
  const ofRows = tests.filter(({ isOfSeries }) => !isOfSeries).map(({ test }) => test)
  return {
    passesSeries: (series) => ofSeries.every((test) => test(noRows, 0, series)),
    passesRow: ofRows.length === 0 ? null : allOf(ofRows),
  }
}

/** The most conditions that a row may be tested against. */
export function conditionsOf(filter: Scalar | null): number {
  if (filter === null) return 0
  const isJoined = filter.kind === 'call' && ['and', 'or', 'not', 'isTrue'].includes(filter.name)
  return isJoined ? partsOf(filter).reduce((sum, part) => sum + conditionsOf(part), 0) : 1
}

/** Tests whether a condition has the value `wanted`, true or false. An unknown condition is neither. */
function compileTest(filter: Scalar, wanted: boolean, accessorOf: (name: string) => FieldAccessor): CompiledTest {
  if (filter.kind === 'literal') return { test: () => filter.value === wanted, isOfSeries: true }
  if (filter.kind !== 'call') throw new Error('a filter is made of conditions')
  const { name, operands } = filter
  switch (name) {
    case 'and':
    case 'or': {
      const parts = operands.map((part) => compileTest(part, wanted, accessorOf))
      const tests = parts.map(({ test }) => test)
      const isOfSeries = parts.every((part) => part.isOfSeries)
      return { test: (name === 'and') === wanted ? allOf(tests) : anyOf(tests), isOfSeries }
    }
    case 'not':
      return compileTest(operands[0], !wanted, accessorOf)
    case 'isTrue': {
      const { test, isOfSeries } = compileTest(operands[0], true, accessorOf)
      return { test: wanted ? test : (chunk, row, series) => !test(chunk, row, series), isOfSeries }
    }
    default: {
      const [of, ...constants] = operands
      if (of.kind !== 'field') throw new Error('a condition is of a field')
      const accessor = accessorOf(of.field.name)
      if (name === 'isNull') return nullTest(accessor, !wanted)
      const values = (constants as readonly LiteralNode[]).map(({ value }) => value)
      if (of.type !== 'string') return numberTest(accessor, numberPasses(name, values.map(Number), wanted))
      const passes = textPasses(name, values.map(String))
      return textTest(accessor, (text) => passes(text) === wanted)
    }
  }
}

function textPasses(name: string, [constant, ...others]: readonly string[]): (text: string) => boolean {
  if (name === 'in') {
    const values = new Set([constant, ...others])
    return (text) => values.has(text)
  }
  if (name === 'like') return likeTest(constant, others[0] ?? null)
  if (name === 'isOfQuality') return (text) => others.includes(qualityOf(text, constant as QualityCoding))
  return (text) => satisfies(name as ComparisonOperator, compareCodePoints(text, constant))
}

/** The test runs for each row, so each operator has a separate function. */
function numberPasses(name: string, values: readonly number[], wanted: boolean): (value: number) => boolean {
  const [constant] = values
  switch (wanted || name === 'in' ? name : negated[name as ComparisonOperator]) {
    case '=':
      return (value) => value === constant
    case '<>':
      return (value) => value !== constant
    case '<':
      return (value) => value < constant
    case '<=':
      return (value) => value <= constant
    case '>':
      return (value) => value > constant
    case '>=':
      return (value) => value >= constant
    default: {
      const among = new Set(values)
      return (value) => among.has(value) === wanted
    }
  }
}

function allOf(tests: readonly RowTest[]): RowTest {
  const [only, other] = tests
  if (tests.length === 1) return only
  if (tests.length === 2) return (chunk, row, series) => only(chunk, row, series) && other(chunk, row, series)
  return (chunk, row, series) => tests.every((test) => test(chunk, row, series))
}

/** Two tests are called directly, since they run for each row: that avoids iterating over a list. */
function anyOf(tests: readonly RowTest[]): RowTest {
  const [one, other] = tests
  if (tests.length === 2) return (chunk, row, series) => one(chunk, row, series) || other(chunk, row, series)
  return (chunk, row, series) => tests.some((test) => test(chunk, row, series))
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

/** A null passes neither a condition nor its negation. */
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

/** Tests each string of a dictionary once. */
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

// The SELECT list: the columns of an answer, each computed point by point from the values that are read of a series.
import type { EntityField } from '../model/entity.ts'
import { isNumericField } from '../model/field.ts'
import { matcher } from './patterns.ts'
import { refused, refusedCalls } from './refusals.ts'
import { fieldNamed, type Scope, tagNamed } from './scope.ts'
import type { Arithmetic, ArithmeticNode, CallNode, Node, Select } from './syntax.ts'

/** A value as JSON text; null where a point has no value; undefined where there is no point. */
export type Cell = string | null | undefined

/** The values of a series at one time, before its columns are computed. */
export interface Point {
  readonly ms: number
  readonly cells: readonly Cell[]
}

/** A value to read: a column of the rows, or an aggregate of one. */
export interface Leaf {
  readonly call: string | null
  /** Null where the entity has no such field. */
  readonly field: EntityField | null
  /** The unit of `integral`, in milliseconds. */
  readonly unitMs: number
}

/** Called with the points of one series, in order. */
export type Evaluate = (ms: number, cells: readonly Cell[]) => Cell

export interface Column {
  readonly name: string
  /** Makes the evaluator of one series, which may keep state between points. */
  readonly make: () => Evaluate
}

export interface Columns {
  readonly columns: readonly Column[]
  readonly leaves: readonly Leaf[]
  /** The steps to compute all columns of one point: fields, numbers, functions and operators. */
  readonly steps: number
}

/** Aggregates that return one of the existing points. */
const selectors: ReadonlySet<string> = new Set(['first', 'last', 'min', 'max'])
/** Aggregates that accept any type; others accept only numbers. */
const ofAnyType: ReadonlySet<string> = new Set(['count', 'first', 'last', 'count_distinct'])
/** Computed here, from the points themselves. */
const pointCalls: ReadonlySet<string> = new Set(['integral', 'median'])
const aggregateCalls: ReadonlySet<string> = new Set([
  'mean',
  'sum',
  'count',
  'count_distinct',
  'spread',
  'stddev',
  ...selectors,
  ...pointCalls,
])
const transformCalls: ReadonlySet<string> = new Set([
  'derivative',
  'non_negative_derivative',
  'difference',
  'non_negative_difference',
  'cumulative_sum',
  'moving_average',
  'elapsed',
])

const columnsMax = 1000

/** `keys`: the tags that identify a series, which `*` does not repeat as columns. Throws Problem `invalid_request`. */
export function columnsOf(select: Select, scope: Scope, keys: readonly string[]): Columns {
  const expanded = select.columns.flatMap((column) => expand(column, select, scope, keys))
  if (expanded.length > columnsMax)
    throw refused(`a SELECT has at most ${columnsMax} columns, and this one has ${expanded.length}: name fewer.`)
  const { interval } = select.groupBy
  const compiler = new Compiler(scope, select.isDescending, interval === null ? 1000 : Number(interval.ns) / 1e6)
  const shown = expanded.filter(({ value }) => !(value.kind === 'name' && value.name.toLowerCase() === 'time'))
  // As in InfluxDB: aliases stay unchanged, and other column names that clash get a suffix.
  const names = new Set(shown.flatMap(({ alias }) => alias ?? []))
  const columns = shown.map(({ value, alias }) => ({
    name: alias ?? unused(nameOf(value), names),
    make: compiler.column(value),
  }))
  // Errors in a column are reported before anything is read.
  for (const { make } of columns) make()
  const { leaves, steps } = compiler
  const called = calledOf(leaves)
  const isMixed = called.length > 0 && called.length < leaves.length
  if (isMixed && (selectorOf(called) === null || compiler.transforms))
    throw refused('mixing aggregate and non-aggregate queries is not supported')
  if (leaves.some(isOfPoints) && !leaves.every(isOfPoints))
    throw refused('integral and median cannot be combined with other aggregates: send a separate statement.')
  return { columns, leaves, steps }
}

export const calledOf = (leaves: readonly Leaf[]): readonly Leaf[] => leaves.filter(({ call }) => call !== null)

/** The only call, if it selects a point. */
export function selectorOf(called: readonly Leaf[]): Leaf | null {
  const [only] = called
  return called.length === 1 && selectors.has(only!.call!) ? only! : null
}

export const isOfPoints = ({ call }: Leaf): boolean => call !== null && pointCalls.has(call)

type SelectColumn = Select['columns'][number]

function expand(column: SelectColumn, select: Select, scope: Scope, keys: readonly string[]): readonly SelectColumn[] {
  const { value, alias } = column
  const some = starOf(value)
  if (some === null) return [column]
  const matches = some.kind === 'pattern' ? matcher(some) : () => true
  const of = some.kind === 'wildcard' ? some.of : null
  if (value === some) {
    // As in InfluxDB: when grouping by * or a pattern, * expands to no tags.
    const { tags: grouped, allTags } = select.groupBy
    const isGrouped = allTags || grouped.some((tag) => typeof tag !== 'string')
    const tags = of === 'field' || isGrouped ? [] : scope.tags.filter(({ name }) => !keys.includes(name))
    const names = [...tags, ...(of === 'tag' ? [] : scope.fields)].map(({ name }) => name).filter(matches)
    return names.sort().map((name) => ({ value: { kind: 'name', name, of: null }, alias: null }))
  }
  const call = innermost(value)
  return scope.fields
    .filter((field) => matches(field.name) && (isNumericField(field) || ofAnyType.has(call)))
    .map(({ name }) => ({
      value: replaced(value, { kind: 'name', name, of: 'field' }),
      alias: `${alias ?? nameOf(value)}_${name}`,
    }))
}

function starOf(node: Node): Extract<Node, { kind: 'wildcard' | 'pattern' }> | null {
  if (node.kind === 'wildcard' || node.kind === 'pattern') return node
  if (node.kind === 'call') return node.operands[0] === undefined ? null : starOf(node.operands[0])
  if (node.kind === 'arithmetic' && (starOf(node.left) ?? starOf(node.right)) !== null)
    throw refused('* is not supported in expressions: name the fields.')
  return null
}

function innermost(node: Node): string {
  if (node.kind !== 'call') return ''
  const [inner] = node.operands
  return inner?.kind === 'call' ? innermost(inner) : node.name
}

function replaced(node: Node, field: Node): Node {
  if (node.kind !== 'call') return field
  const [inner, ...others] = node.operands
  return { ...node, operands: [replaced(inner!, field), ...others] }
}

function nameOf(node: Node): string {
  if (node.kind === 'name' || node.kind === 'call') return node.name
  return node.kind === 'arithmetic'
    ? [nameOf(node.left), nameOf(node.right)].filter((name) => name !== '').join('_')
    : ''
}

function unused(name: string, names: Set<string>): string {
  let free = name
  for (let count = 1; names.has(free); count++) free = `${name}_${count}`
  names.add(free)
  return free
}

class Compiler {
  readonly leaves: Leaf[] = []
  steps = 0
  transforms = false
  #averaged = 0
  readonly #scope: Scope
  readonly #isDescending: boolean
  readonly #derivativeMs: number

  constructor(scope: Scope, isDescending: boolean, derivativeMs: number) {
    this.#scope = scope
    this.#isDescending = isDescending
    this.#derivativeMs = derivativeMs
  }

  column(node: Node): () => Evaluate {
    const make = this.#value(node)
    if (!hasVariable(node)) throw refused('field must contain at least one variable')
    return make
  }

  #value(node: Node): () => Evaluate {
    this.steps++
    switch (node.kind) {
      case 'name':
        return this.#leaf(null, node, 0)
      case 'number': {
        const cell = wholeCell.test(node.digits) ? node.digits : String(Number(node.digits))
        return () => () => cell
      }
      case 'arithmetic':
        return arithmetic(node, this.#value(node.left), this.#value(node.right))
      case 'call':
        return this.#call(node)
      default:
        throw refused('SELECT takes fields, tags, functions of fields, numbers and + - * / %.')
    }
  }

  #call({ name, operands: [operand, parameter, ...others] }: CallNode): () => Evaluate {
    if (operand === undefined || others.length > 0) throw refused(`invalid number of arguments for ${name}`)
    if (transformCalls.has(name)) {
      this.transforms = true
      if (name === 'moving_average') this.#keep(countOf(parameter ?? null))
      // The operand is a field or an aggregate; a transform of a transform is computed in the same way.
      return transform(name, this.#value(operand), parameter ?? null, this.#isDescending, this.#derivativeMs)
    }
    if (!aggregateCalls.has(name)) {
      const instead = refusedCalls.get(name)
      if (instead === undefined)
        throw refused(
          `undefined function ${name}(): there are ${[...aggregateCalls, ...transformCalls].filter((one) => one !== 'count_distinct').join(', ')}.`,
        )
      throw refused(`${name}() is not supported: use ${instead} in SQL, at POST /consumer/data/sql-query.`)
    }
    if (parameter !== undefined && name !== 'integral')
      throw refused(`invalid number of arguments for ${name}, expected 1, got 2`)
    const unitMs = parameter === undefined ? 1000 : durationMs(parameter, name)
    if (name === 'count' && operand.kind === 'call' && operand.name === 'distinct')
      return this.#leaf('count_distinct', operand.operands[0], 0)
    return this.#leaf(name, operand, unitMs)
  }

  #keep(points: number): void {
    this.#averaged += points
    if (this.#averaged > averagedMax)
      throw refused(
        `the moving averages of a SELECT can use at most ${averagedMax} points in total, and these use more: average fewer.`,
      )
  }

  #leaf(call: string | null, operand: Node | undefined, unitMs: number): () => Evaluate {
    if (operand?.kind !== 'name') throw refused(`expected field argument in ${call ?? 'SELECT'}()`)
    const field = operand.of === 'tag' ? null : fieldNamed(this.#scope, operand.name)
    const tag = call === null && field === null && operand.of !== 'field' ? tagNamed(this.#scope, operand.name) : null
    if (call !== null && field !== null && !isNumericField(field) && !ofAnyType.has(call))
      throw refused(`unsupported ${call} iterator type: ${field.name} is of type ${field.type}`)
    const leaf: Leaf = { call, field: field ?? tag, unitMs }
    const known = this.leaves.findIndex((one) => one.call === call && one.field === leaf.field && one.unitMs === unitMs)
    const at = known === -1 ? this.leaves.push(leaf) - 1 : known
    return () => (_, cells) => cells[at]
  }
}

function hasVariable(node: Node): boolean {
  if (node.kind === 'arithmetic') return hasVariable(node.left) || hasVariable(node.right)
  return node.kind === 'name' || node.kind === 'call'
}

function durationMs(node: Node, call: string): number {
  if (node.kind !== 'duration' || node.ns <= 0n)
    throw refused(`second argument to ${call} must be a duration above 0, as 1s`)
  return Number(node.ns) / 1e6
}

/** Null where one side has no value; undefined where neither side has a point. As in InfluxDB, division by 0 returns 0. */
function arithmetic(node: ArithmeticNode, makeLeft: () => Evaluate, makeRight: () => Evaluate): () => Evaluate {
  const compute = operations[node.operator]
  const [countsLeft, countsRight] = [hasVariable(node.left), hasVariable(node.right)]
  return () => {
    const [left, right] = [makeLeft(), makeRight()]
    return (ms, cells) => {
      const [a, b] = [left(ms, cells), right(ms, cells)]
      if (!(countsLeft && a !== undefined) && !(countsRight && b !== undefined)) return undefined
      return a == null || b == null ? null : numberCell(compute(numberIn(a), numberIn(b)))
    }
  }
}

/** Longs are bigints, which keep all their digits. */
type Value = number | bigint

const wholeCell = /^-?\d{1,19}$/
const numberIn = (cell: string): Value => (wholeCell.test(cell) ? BigInt(cell) : Number(cell))

/** Combines the version for two whole numbers with the version for all others. */
const operation =
  (ofWhole: (left: bigint, right: bigint) => bigint, ofAny: (left: number, right: number) => number) =>
  (left: Value, right: Value): Value =>
    typeof left === 'bigint' && typeof right === 'bigint' ? ofWhole(left, right) : ofAny(Number(left), Number(right))

const plus = operation(
  (left, right) => left + right,
  (left, right) => left + right,
)
const minus = operation(
  (left, right) => left - right,
  (left, right) => left - right,
)

const operations: Readonly<Record<Arithmetic, (left: Value, right: Value) => Value>> = {
  '+': plus,
  '-': minus,
  '*': operation(
    (left, right) => left * right,
    (left, right) => left * right,
  ),
  '/': (left, right) => (Number(right) === 0 ? 0 : Number(left) / Number(right)),
  '%': operation(
    (left, right) => (right === 0n ? 0n : left % right),
    (left, right) => (right === 0 ? 0 : left % right),
  ),
}

export const numberCell = (value: Value): string | null =>
  typeof value === 'bigint' || Number.isFinite(value) ? String(value) : null

interface Seen {
  readonly ms: number
  readonly value: Value
}

/** A value from each point and the points before it. */
function transform(
  name: string,
  make: () => Evaluate,
  parameter: Node | null,
  isDescending: boolean,
  /** The unit of a derivative that names none: as in InfluxDB, a window. */
  derivativeMs: number,
): () => Evaluate {
  if (name === 'cumulative_sum') return overPoints(make, sums)
  if (name === 'moving_average') return overPoints(make, () => movingAverage(countOf(parameter)))
  const takesUnit = name.endsWith('derivative') || name === 'elapsed'
  const unitMs = parameter === null ? null : takesUnit ? durationMs(parameter, name) : 0
  if (unitMs === 0) throw refused(`invalid number of arguments for ${name}, expected 1, got 2`)
  const sign = isDescending ? -1 : 1
  const between = (before: Seen, now: Seen): Value => {
    const elapsedMs = now.ms - before.ms
    if (name === 'elapsed') return Math.trunc(elapsedMs / (unitMs ?? 1e-6))
    const difference = minus(now.value, before.value)
    return takesUnit ? Number(difference) / ((sign * elapsedMs) / (unitMs ?? derivativeMs)) : difference
  }
  const neverFalls = name.startsWith('non_negative')
  return overPoints(make, () => {
    let before: Seen | null = null
    return (now) => {
      if (before === null) {
        before = now
        return undefined
      }
      // Two points of the same time have no rate.
      if (before.ms === now.ms && takesUnit && name !== 'elapsed') return undefined
      const value = between(before, now)
      before = now
      return neverFalls && value < 0 ? undefined : value
    }
  })
}

function overPoints(make: () => Evaluate, start: () => (point: Seen) => Value | undefined): () => Evaluate {
  return () => {
    const [evaluate, next] = [make(), start()]
    return (ms, cells) => {
      const cell = evaluate(ms, cells)
      if (cell === undefined || cell === null) return undefined
      const value = next({ ms, value: numberIn(cell) })
      return value === undefined ? undefined : numberCell(value)
    }
  }
}

function sums(): (point: Seen) => Value {
  let sum: Value = 0n
  return ({ value }) => {
    sum = plus(sum, value)
    return sum
  }
}

/** The most points that the moving averages of all columns keep, for each series. */
const averagedMax = 10_000

function countOf(node: Node | null): number {
  const count = node?.kind === 'number' ? Number(node.digits) : 0
  if (!Number.isInteger(count) || count < 2 || count > averagedMax)
    throw refused(`moving_average takes the last 2 to ${averagedMax} points: write moving_average(x, 5).`)
  return count
}

function movingAverage(count: number): (point: Seen) => number | undefined {
  const values: number[] = []
  let [sum, at] = [0, 0]
  return (point) => {
    const value = Number(point.value)
    sum += value - (values[at] ?? 0)
    values[at] = value
    at = (at + 1) % count
    return values.length < count ? undefined : sum / count
  }
}

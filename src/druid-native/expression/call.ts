// The building blocks for functions of Druid's expression language.

import { type Bound, called, type EngineFunction, engineFunction, literal } from '../../druid-sql/bind/tree.ts'
import { nullType } from '../../druid-sql/bind/types.ts'
import type { PlainFunction } from '../../druid-sql/functions/signature.ts'
import type { TimeRange } from '../../druid-time/bucket-sql.ts'
import { bind2 } from '../../lib/bind-sql.ts'
import type { Sql } from '../../lib/sql-text.ts'
import { asType, nowhere, type Typed, truth } from '../values/typed.ts'

/** A call of a function. */
export interface Call {
  readonly range: TimeRange
  /** The value of a constant argument, null for `null` or a missing one; undefined if it is not constant. */
  literal(index: number): string | number | bigint | null | undefined
  /** The milliseconds of a constant time argument such as `timestamp('2024-01-03')`; null if it is not one. */
  constantMs(index: number): number | null
  /** Whether an argument is the time column, whose range is known. */
  isTime(index: number): boolean
  /** Whether an argument is a column name. */
  isColumn(index: number): boolean
  refuse(message: string): never
  unsupported(what: string): never
}

interface Arguments {
  /** The minimum and maximum number of arguments. */
  readonly args: readonly [number, number]
}

/** A function that SQL also has, or that the planner can analyse: returns a tree of its arguments. */
interface BoundFunction extends Arguments {
  bind(args: readonly Bound[], call: Call): Bound
}

/** A function only of this language: returns SQL text. */
interface OwnFunction extends Arguments {
  compile(args: readonly Typed[], call: Call): Typed
}

export type ExpressionFunction = BoundFunction | OwnFunction

export const isNull = ({ type }: Bound): boolean => type.kind === 'null'
export const nullNode: Bound = literal(nowhere, nullType, null)

/** Converts booleans to numbers: this language has no booleans. */
const plainValue = (node: Bound): Bound => (node.type.kind === 'boolean' ? truth(node) : node)

/** An SQL function whose operands have fixed types. */
export const plain = ({ fn, count, types, result }: PlainFunction): BoundFunction => ({
  args: count,
  bind: (args) => {
    const operands = args.map((arg, index) => {
      const type = types[index]!
      return type === 'any' ? arg : asType(arg, type)
    })
    return plainValue(called(nowhere, result, fn, operands))
  },
})

/** As `plain`, but returns an untyped null if an argument is a bare null. */
export function plainOrNull(fn: PlainFunction): ExpressionFunction {
  const { args, bind } = plain(fn)
  return { args, bind: (nodes, call) => (nodes.some(isNull) ? nullNode : bind(nodes, call)) }
}

export type FunctionTable = Readonly<Record<string, ExpressionFunction>>

/** A constant text argument. */
export function literalText(call: Call, index: number, what: string): string {
  const value = call.literal(index)
  return value === null || value === undefined ? call.refuse(`the ${what} must be a constant string`) : String(value)
}

/** A constant whole number argument. */
export function literalWhole(call: Call, index: number, what: string): number {
  const value = call.literal(index)
  const whole = typeof value === 'string' || value === null || value === undefined ? Number.NaN : Number(value)
  return Number.isSafeInteger(whole) ? whole : call.refuse(`the ${what} must be a constant whole number`)
}

/** Unlimited number of arguments. */
export const many = Number.POSITIVE_INFINITY

/** An engine function of two operands whose SQL uses them several times. */
export const ofBoth = (render: (x: Sql, y: Sql) => Sql): EngineFunction<null> =>
  engineFunction(([a, b]) => bind2(a!, b!, render))

export type UnarySql = (value: Sql) => Sql

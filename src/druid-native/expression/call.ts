// What a function of Druid's expression language is made with.

import { type Bound, called, type EngineFunction, engineFunction, literal } from '../../druid-sql/bind/tree.ts'
import { nullType } from '../../druid-sql/bind/types.ts'
import type { PlainFunction } from '../../druid-sql/functions/signature.ts'
import type { TimeRange } from '../../druid-time/bucket-sql.ts'
import { bind2 } from '../../lib/bind-sql.ts'
import type { Sql } from '../../lib/sql-text.ts'
import { asType, nowhere, type Typed, truth } from '../values/typed.ts'

/** One use of a function. */
export interface Call {
  readonly range: TimeRange
  /** The value of a constant argument, null for `null` or none; undefined where it is no constant. */
  literal(index: number): string | number | bigint | null | undefined
  /** The milliseconds of an argument that is a constant time, like `timestamp('2024-01-03')`; null where it is none. */
  constantMs(index: number): number | null
  /** Whether an argument is the time column itself, whose range is known. */
  isTime(index: number): boolean
  /** Whether an argument is the name of a column. */
  isColumn(index: number): boolean
  refuse(message: string): never
  unsupported(what: string): never
}

interface Arguments {
  /** The least and the most arguments. */
  readonly args: readonly [number, number]
}

/** A function that SQL has too, or whose parts are known to the planner: a tree of its arguments. */
interface BoundFunction extends Arguments {
  bind(args: readonly Bound[], call: Call): Bound
}

/** A function that this language has alone: a text of those of its arguments. */
interface OwnFunction extends Arguments {
  compile(args: readonly Typed[], call: Call): Typed
}

export type ExpressionFunction = BoundFunction | OwnFunction

export const isNull = ({ type }: Bound): boolean => type.kind === 'null'
export const nullNode: Bound = literal(nowhere, nullType, null)

/** A truth value is a number here. */
const plainValue = (node: Bound): Bound => (node.type.kind === 'boolean' ? truth(node) : node)

/** One of SQL's, whose operands have fixed types. */
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

/** The same, but nothing has a type of its own where an argument is a bare null. */
export function plainOrNull(fn: PlainFunction): ExpressionFunction {
  const { args, bind } = plain(fn)
  return { args, bind: (nodes, call) => (nodes.some(isNull) ? nullNode : bind(nodes, call)) }
}

export type FunctionTable = Readonly<Record<string, ExpressionFunction>>

/** A constant argument that must be a text. */
export function literalText(call: Call, index: number, what: string): string {
  const value = call.literal(index)
  return value === null || value === undefined ? call.refuse(`the ${what} must be a constant text`) : String(value)
}

/** A constant argument that must be a whole number. */
export function literalWhole(call: Call, index: number, what: string): number {
  const value = call.literal(index)
  const whole = typeof value === 'string' || value === null || value === undefined ? Number.NaN : Number(value)
  return Number.isSafeInteger(whole) ? whole : call.refuse(`the ${what} must be a constant whole number`)
}

/** Of arguments, of which there may be any number. */
export const many = Number.POSITIVE_INFINITY

/** One of the engine, of two operands that it names several times. */
export const ofBoth = (render: (x: Sql, y: Sql) => Sql): EngineFunction<null> =>
  engineFunction(([a, b]) => bind2(a!, b!, render))

export type UnarySql = (value: Sql) => Sql

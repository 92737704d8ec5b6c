// Definitions of the catalogue's functions: their operands, their results, and how they are written in the engine's SQL.

import type { Zone } from '../../druid-time/zone.ts'
import type { Sql } from '../../lib/sql-text.ts'
import { as, constantOf } from '../bind/conversions.ts'
import { type Bound, called, type EngineFunction, engineFunction } from '../bind/tree.ts'
import { type SqlType, string } from '../bind/types.ts'
import { type Place, sqlProblem } from '../parse/sql-problem.ts'
import { withoutRepeats } from './text-limits.ts'

/** A call whose operands are bound. */
export interface BoundCall {
  readonly name: string
  readonly place: Place
  readonly operands: readonly Bound[]
  /** A unit that is part of the syntax, as in `FLOOR(x TO DAY)`. */
  readonly unit: string | null
  readonly unitPlace: Place | null
  /** The type after RETURNING. */
  readonly returning: SqlType | null
  /** The zone of the query, for calls that name none. */
  readonly zone: Zone
}

export interface ScalarFunction {
  /** The least and the most operands. */
  readonly count: readonly [least: number, most: number]
  readonly bind: (call: BoundCall) => Bound
}

export type Catalogue = Readonly<Record<string, ScalarFunction>>

/** A function of operands of fixed types. */
export interface PlainFunction extends ScalarFunction {
  readonly fn: EngineFunction<null>
  readonly types: readonly (SqlType | 'any')[]
  readonly result: SqlType
}

/** The last `optional` operands may be left out. */
export function scalar(
  types: readonly (SqlType | 'any')[],
  result: SqlType,
  render: (...operands: Sql[]) => Sql,
  optional = 0,
): PlainFunction {
  const fn = engineFunction((operands) => withoutRepeats(operands, render))
  return {
    fn,
    types,
    result,
    count: [types.length - optional, types.length],
    bind: ({ place, operands }) => {
      const taken = operands.map((operand, index) => {
        const type = types[index]!
        return type === 'any' ? operand : as(operand, type)
      })
      return called(place, result, fn, taken)
    },
  }
}

/** A function that checks its operands itself. */
export function special(least: number, most: number, bind: (call: BoundCall) => Bound): ScalarFunction {
  return { count: [least, most], bind }
}

/** The text of an operand that must be known before the query runs; null where it is NULL or left out. */
export function constantText({ name, place, operands }: BoundCall, index: number): string | null {
  const operand = operands[index]
  if (operand === undefined || operand.type.kind === 'null') return null
  const value = constantOf(operand)
  if (operand.type.kind === 'string' && typeof value === 'string') return value
  throw sqlProblem(operand.place ?? place, `operand ${index + 1} of ${name} must be a string in single quotes`)
}

/** The same for an operand that is required. */
export function neededText(call: BoundCall, index: number): string {
  const text = constantText(call, index)
  if (text === null)
    throw sqlProblem(call.place, `operand ${index + 1} of ${call.name} must be a string in single quotes`)
  return text
}

/** The whole number of an operand that must be known before the query runs; `fallback` where it is left out. */
export function constantInteger(call: BoundCall, index: number, fallback: bigint): bigint {
  const operand = call.operands[index]
  if (operand === undefined) return fallback
  const value = constantOf(operand)
  if (typeof value === 'bigint') return value
  throw sqlProblem(operand.place, `operand ${index + 1} of ${call.name} must be a whole number`)
}

export function checkCount(name: string, place: Place, [least, most]: readonly [number, number], count: number): void {
  if (count >= least && count <= most) return
  const wanted =
    least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
  throw sqlProblem(place, `${name} takes ${wanted} ${wanted === '1' ? 'operand' : 'operands'}, not ${count}`)
}

/** An operand as text. Numbers and times are written as in Druid. */
export function asText(operand: Bound): Bound {
  return as(operand, string)
}

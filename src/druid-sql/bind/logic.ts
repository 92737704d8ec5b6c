// Operators that combine conditions.
import { sql } from '../../lib/sql-text.ts'
import type { Place } from '../parse/sql-problem.ts'
import { type Bound, called, engineFunction } from './tree.ts'
import { boolean } from './types.ts'

export const conjunction = engineFunction((items) => sql`(${sql.join(items, ' AND ')})`)
export const disjunction = engineFunction((items) => sql`(${sql.join(items, ' OR ')})`)
export const negation = engineFunction(([x]) => sql`(NOT ${x!})`)

/** The parts joined by AND, however they are nested. */
export const conjuncts = (node: Bound): readonly Bound[] =>
  node.kind === 'call' && node.fn.id === conjunction.id ? node.operands.flatMap(conjuncts) : [node]

export const not = (condition: Bound, place: Place): Bound => called(place, boolean, negation, [condition])

export interface IsOptions {
  readonly what: 'NULL' | 'TRUE' | 'FALSE'
  readonly negated: boolean
  readonly isWrittenAsTrue: boolean
}

export const is = (operand: Bound, options: IsOptions, place: Place): Bound =>
  called(place, boolean, isTruth, [operand], options)

/** `x IS NULL`, `x IS NOT TRUE`. */
export const isTruth = engineFunction<IsOptions>(([x], { options: { what, negated, isWrittenAsTrue } }) => {
  const whats = { NULL: sql`NULL`, TRUE: sql`TRUE`, FALSE: sql`FALSE` }
  const is = sql`(${x!} IS ${negated ? sql`NOT ` : sql``}${whats[what]})`
  return isWrittenAsTrue ? sql`(${is} IS TRUE)` : is
})

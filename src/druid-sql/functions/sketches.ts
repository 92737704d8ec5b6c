// Sketches are held exactly: sets of values, and sorted lists of numbers.
import { type Sql, sql } from '../../lib/sql-text.ts'
import { combine } from '../bind/bound.ts'
import { as } from '../bind/conversions.ts'
import { double, quantiles, sketch } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import { type Catalogue, type ScalarFunction, special } from './signature.ts'

const setOperation = (render: (a: Sql, b: Sql) => Sql): ScalarFunction =>
  special(2, 100, ({ place, operands }) => {
    const sets = operands.filter((operand) => operand.constant === undefined).map((operand) => as(operand, sketch))
    if (sets.length < 2) throw sqlProblem(place, 'two sketches or more are expected')
    const combined = sets.slice(1).reduce((sum, set) => render(sum, set.sql), sets[0]!.sql)
    return combine(place, sketch, combined, sets)
  })

const union = setOperation((a, b) => sql`list_distinct(list_concat(${a}, ${b}))`)
const estimate = special(1, 3, ({ place, operands }) => {
  const set = as(operands[0]!, sketch)
  return combine(place, double, sql`CAST(len(${set.sql}) AS DOUBLE)`, [set])
})

const quantileOf = special(2, 2, (call) => {
  const values = as(call.operands[0]!, quantiles)
  const share = as(call.operands[1]!, double)
  const rank = sql`CAST(least(greatest(ceil(${share.sql} * len(${values.sql})), 1), len(${values.sql})) AS BIGINT)`
  return combine(call.place, double, sql`${values.sql}[${rank}]`, [values, share])
})

const rankOf = special(2, 2, (call) => {
  const values = as(call.operands[0]!, quantiles)
  const value = as(call.operands[1]!, double)
  const below = sql`len(list_filter(${values.sql}, lambda e: e <= ${value.sql}))`
  return combine(call.place, double, sql`(CAST(${below} AS DOUBLE) / len(${values.sql}))`, [values, value])
})

export const sketches: Catalogue = {
  HLL_SKETCH_ESTIMATE: estimate,
  HLL_SKETCH_UNION: union,
  THETA_SKETCH_ESTIMATE: estimate,
  THETA_SKETCH_UNION: union,
  THETA_SKETCH_INTERSECT: setOperation((a, b) => sql`list_intersect(${a}, ${b})`),
  THETA_SKETCH_NOT: setOperation((a, b) => sql`list_filter(${a}, lambda e: NOT list_contains(${b}, e))`),
  DS_GET_QUANTILE: quantileOf,
  DS_RANK: rankOf,
}

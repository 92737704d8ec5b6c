// Sketches are exact here: sets of values, and sorted lists of numbers.
import { type Sql, sql } from '../../lib/sql-text.ts'
import { as, constantOf } from '../bind/conversions.ts'
import { called, engineFunction } from '../bind/tree.ts'
import { double, quantiles, sketch } from '../bind/types.ts'
import { sqlProblem } from '../parse/sql-problem.ts'
import { type Catalogue, type ScalarFunction, special } from './signature.ts'

function setOperation(render: (a: Sql, b: Sql) => Sql): ScalarFunction {
  const fn = engineFunction(([first, ...others]) => others.reduce(render, first!))
  return special(2, 100, ({ place, operands }) => {
    const sets = operands.filter((operand) => constantOf(operand) === undefined).map((operand) => as(operand, sketch))
    if (sets.length < 2) throw sqlProblem(place, 'at least two sketches are expected')
    return called(place, sketch, fn, sets)
  })
}

const union = setOperation((a, b) => sql`list_distinct(list_concat(${a}, ${b}))`)

const size = engineFunction(([set]) => sql`CAST(len(${set!}) AS DOUBLE)`)
/** Also accepts the parameters of a sketch, which have no effect here. */
const estimate = special(1, 3, ({ place, operands }) => called(place, double, size, [as(operands[0]!, sketch)]))

/** A function of the sorted numbers of a sketch, and one more number. */
function ofQuantiles(render: (list: Sql, number: Sql) => Sql): ScalarFunction {
  const fn = engineFunction(([list, number]) => render(list!, number!))
  return special(2, 2, ({ place, operands: [values, number] }) =>
    called(place, double, fn, [as(values!, quantiles), as(number!, double)]),
  )
}

const quantileOf = ofQuantiles((list, share) => {
  const rank = sql`CAST(least(greatest(ceil(${share} * len(${list})), 1), len(${list})) AS BIGINT)`
  return sql`${list}[${rank}]`
})

const rankOf = ofQuantiles((list, value) => {
  const below = sql`len(list_filter(${list}, lambda e: e <= ${value}))`
  return sql`(CAST(${below} AS DOUBLE) / len(${list}))`
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

// Arrays that rows are grouped by.
import type { Expression } from '../parse/syntax.ts'

type ArrayOf = Extract<Expression, { kind: 'array' }>

/**
 * Where some elements of an array may be null and others not, Druid's planner casts the others, once more each time that it looks at them,
 * and then does not know what is grouped by for the same as what is selected.
 */
export function mayBeNull({ items, ...array }: ArrayOf): ArrayOf {
  const { place } = array
  const always: Expression = { kind: 'boolean', value: true, place }
  const element = (item: Expression): Expression => {
    return { kind: 'case', operand: null, branches: [{ when: always, result: item }], otherwise: null, place }
  }
  return { ...array, items: items.map(element) }
}

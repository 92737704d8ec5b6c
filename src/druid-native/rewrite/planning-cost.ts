// Druid plans the expression of a virtual column again for each use, several times over. Queries that are cheap to run can therefore take minutes to
// plan, which no timeout interrupts.
import { invalidRequest } from '../../model/problem.ts'
import type { Expression } from '../expression/syntax.ts'
import type { NativeQuery } from '../parse/native-query-types.ts'
import type { VirtualColumn } from '../parse/query-nodes.ts'
import { expressionsOf, nodesIn, queriesWithin } from './queries-within.ts'

/** About half a second of planning in Druid. Six columns with one sum each, each built on the previous one, cost half of it. */
const costMax = 100_000
/** How often a used column is planned for each node of the expression that uses it. */
const planningsPerPart = 2

/** Throws Problem `invalid_request` if virtual columns use each other too often. */
export function checkPlanning(query: NativeQuery): void {
  for (const one of queriesWithin(query)) {
    const costs = new Costs(one.virtualColumns)
    let sum = 0
    for (const { expression, path } of expressionsOf(one)) {
      const { cost, namesVirtual } = costs.of(expression)
      // The cost of expressions over fields alone is only linear in their length.
      if (namesVirtual) sum += cost
      if (sum > costMax) throw tooInvolved(path)
    }
  }
}

class Costs {
  readonly #columns: ReadonlyMap<string, VirtualColumn>
  readonly #known = new Map<string, number>()

  constructor(columns: readonly VirtualColumn[]) {
    this.#columns = new Map(columns.map((column) => [column.name, column]))
  }

  of(expression: Expression): { readonly cost: number; readonly namesVirtual: boolean } {
    let parts = 0
    let named = 0
    for (const part of nodesIn(expression)) {
      parts++
      if (isName(part)) named += this.#ofColumn(part.name)
    }
    return { cost: parts * (1 + planningsPerPart * named), namesVirtual: named > 0 }
  }

  #ofColumn(name: string): number {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const column = this.#columns.get(name)
    // Within a virtual column's own expression, its name refers to the field.
    this.#known.set(name, 0)
    const cost = column === undefined ? 0 : this.of(column.expression).cost
    this.#known.set(name, cost)
    return cost
  }
}

function isName(part: object): part is Expression & { readonly kind: 'name' } {
  return 'kind' in part && part.kind === 'name'
}

function tooInvolved(path: string): Error {
  const message =
    'uses virtual columns that depend on each other too often for Druid to plan: use fewer expressions, or compute them in an inner query'
  return invalidRequest(path, message)
}

// Druid plans what a virtual column is made of anew wherever it is named, several times over: what is cheap to run can take minutes to plan,
// which no time limit ends.
import { invalidRequest } from '../../model/problem.ts'
import type { Expression } from '../expression/syntax.ts'
import type { NativeQuery } from '../parse/native-query-types.ts'
import type { VirtualColumn } from '../parse/query-nodes.ts'
import { expressionsOf, nodesIn, queriesWithin } from './queries-within.ts'

/** About half a second of Druid's. Six columns of one sum each, built one upon the other, come to half of it. */
const costMax = 100_000
/** How often a column that is named is planned for each part of the expression that names it. */
const planningsPerPart = 2

/** Throws Problem `invalid_request` for virtual columns that are built upon each other too often. */
export function checkPlanning(query: NativeQuery): void {
  for (const one of queriesWithin(query)) {
    const costs = new Costs(one.virtualColumns)
    let sum = 0
    for (const { expression, path } of expressionsOf(one)) {
      const { cost, namesVirtual } = costs.of(expression)
      // Expressions over fields alone cost what they are long.
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
    // Within its own expression a virtual column's name means the field.
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
    'names virtual columns that are built upon each other too often for Druid to plan: put what they compute into fewer expressions, or compute it in an inner query'
  return invalidRequest(path, message)
}

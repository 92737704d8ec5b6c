// The values of groups: keys, aggregates, and what is made of both. Null is what the store does not know.
import type { Scalar } from '../../algebra/scalar.ts'
import { type Bound, keyOf } from '../bind/tree.ts'
import { GroupAggregates } from './read-aggregates.ts'
import { ScalarReader } from './read-scalar.ts'
import type { TableRows } from './table-rows.ts'

/** What the groups of a query are made of. */
export class GroupValues {
  readonly #aggregates: GroupAggregates
  readonly #reader: ScalarReader

  /** `keys` are what rows are grouped by, where it stands in the row of a group; `firstAt` is where the aggregates begin there. */
  constructor(rows: TableRows, keys: ReadonlyMap<string, Scalar>, firstAt: number) {
    this.#aggregates = new GroupAggregates(rows, firstAt)
    this.#reader = new ScalarReader({
      leafOf: (node) => keys.get(keyOf(node)) ?? null,
      aggregateOf: (node) => this.#aggregates.of(node),
      meant: () => null,
      dividesLongs: true,
    })
  }

  get aggregates(): GroupAggregates['all'] {
    return this.#aggregates.all
  }

  /** How many values were read. */
  get steps(): number {
    return this.#reader.steps
  }

  /** A truth value is none that is shown, or ordered by. */
  value(node: Bound): Scalar | null {
    const value = this.#reader.value(node)
    return value?.type === 'boolean' ? null : value
  }

  /** A condition of HAVING. */
  condition(node: Bound): Scalar | null {
    return this.#reader.condition(node)
  }
}

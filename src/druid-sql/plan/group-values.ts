// The values of groups: keys, aggregates, and what is made of both. Null is what the store does not know.
import { cellNode, fieldNode, type Scalar } from '../../algebra/scalar.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Expression } from '../parse/syntax.ts'
import { GroupAggregates } from './read-aggregates.ts'
import { ScalarReader } from './read-scalar.ts'
import type { TableExpressions } from './table-expressions.ts'

/** What the groups of a query are made of. */
export class GroupValues {
  readonly #aggregates: GroupAggregates
  readonly #names: TableExpressions
  readonly #keys: readonly EntityField[]
  readonly #isBucket: (expression: Expression) => boolean
  readonly #reader: ScalarReader
  /** What an output is named, in HAVING and ORDER BY. */
  #named: ReadonlyMap<string, Scalar> = new Map()

  constructor(names: TableExpressions, keys: readonly EntityField[], isBucket: (expression: Expression) => boolean) {
    this.#names = names
    this.#keys = keys
    this.#isBucket = isBucket
    this.#aggregates = new GroupAggregates(names, 1 + keys.length)
    this.#reader = new ScalarReader({
      leafOf: (expression) => this.#leaf(expression),
      calledOf: (call) => this.#aggregates.of(call),
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

  /** From now on outputs go by their names. */
  nameOutputs(named: ReadonlyMap<string, Scalar>): void {
    this.#named = named
  }

  /** A truth value is none that is shown, or ordered by. */
  value(expression: Expression): Scalar | null {
    const value = this.#reader.value(expression)
    return value?.type === 'boolean' ? null : value
  }

  /** A condition of HAVING. */
  condition(expression: Expression): Scalar | null {
    return this.#reader.condition(expression)
  }

  #leaf(expression: Expression): Scalar | null {
    if (expression.kind === 'column' && expression.path.length === 1) {
      const named = this.#named.get(expression.path[0]!)
      if (named !== undefined) return named
    }
    return this.#isBucket(expression) ? cellNode('timestamp', 0) : this.#key(expression)
  }

  /** What rows are grouped by. */
  #key(expression: Expression): Scalar | null {
    if (this.#keys.length === 0) return null
    const field = this.#names.fieldOf(expression)
    const at = this.#keys.findIndex(({ name }) => name === field?.name)
    return at === -1 ? null : cellNode(fieldNode(this.#keys[at]!).type, 1 + at)
  }
}

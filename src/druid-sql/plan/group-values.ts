// The values of groups: keys, aggregates, and what is worked out of both. Null is what the store does not know.
import type { PlannedCondition, PlannedValue } from '../../druid-values/planned-value.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Expression } from '../parse/syntax.ts'
import { GroupAggregates } from './read-aggregates.ts'
import { ValueReader } from './read-values.ts'
import type { TableNames } from './read-where.ts'
import { plannedType } from './sql-plan.ts'

/** What the groups of a query are made of. */
export class GroupValues {
  readonly #aggregates: GroupAggregates
  readonly #names: TableNames
  readonly #keys: readonly EntityField[]
  readonly #isBucket: (expression: Expression) => boolean
  readonly #reader: ValueReader
  /** What an output is named, in HAVING and ORDER BY. */
  #named: ReadonlyMap<string, PlannedValue> = new Map()

  constructor(names: TableNames, keys: readonly EntityField[], isBucket: (expression: Expression) => boolean) {
    this.#names = names
    this.#keys = keys
    this.#isBucket = isBucket
    this.#aggregates = new GroupAggregates(names, 1 + keys.length)
    this.#reader = new ValueReader({
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
  nameOutputs(named: ReadonlyMap<string, PlannedValue>): void {
    this.#named = named
  }

  value(expression: Expression): PlannedValue | null {
    return this.#reader.value(expression)
  }

  /** A condition of HAVING. */
  condition(expression: Expression): PlannedCondition | null {
    return this.#reader.condition(expression)
  }

  #leaf(expression: Expression): PlannedValue | null {
    if (expression.kind === 'column' && expression.path.length === 1) {
      const named = this.#named.get(expression.path[0]!)
      if (named !== undefined) return named
    }
    return this.#isBucket(expression) ? { kind: 'cell', type: 'timestamp', at: 0 } : this.#key(expression)
  }

  /** What rows are grouped by. */
  #key(expression: Expression): PlannedValue | null {
    if (this.#keys.length === 0) return null
    const field = this.#names.fieldOf(expression)
    const at = this.#keys.findIndex(({ name }) => name === field?.name)
    return at === -1 ? null : { kind: 'cell', type: plannedType(this.#keys[at]!), at: 1 + at }
  }
}

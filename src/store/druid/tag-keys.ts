// The tags that items are told apart by, as they stand in the rows that Druid answers: the value of one, or the combination of several.
import type { EntityField } from '../../model/entity.ts'
import type { Selection } from '../../model/plan.ts'
import { allOf, anyOf, isNull, isOneOf, type NativeDimension, type NativeFilter, not } from './native-query.ts'

/** The value of a tag that is alone, the values of several as one text. */
export type TagKey = string | null

type Values = readonly (string | null)[]

/** More combinations of other tags than this are not named in a query: each is a filter of its own. */
const branchesMax = 1000

export class TagKeys {
  readonly #tags: readonly EntityField[]

  constructor({ tags }: Selection) {
    this.#tags = tags
  }

  /** To group by. */
  get dimensions(): readonly NativeDimension[] {
    return this.#tags.map(({ name }, index) => {
      return { type: 'default', dimension: name, outputName: `:tag${index}`, outputType: 'STRING' }
    })
  }

  /** How many columns of a row they are. */
  get columns(): number {
    return this.#tags.length
  }

  /** The key of a row whose tags begin at a column. */
  at(row: readonly unknown[], column: number): TagKey {
    if (this.#tags.length === 1) return valueIn(row[column])
    return JSON.stringify(row.slice(column, column + this.#tags.length).map(valueIn))
  }

  /** Passes the rows of these keys; of other ones too where it would be too long. Null is all. */
  among(keys: Iterable<TagKey>): NativeFilter | null {
    const [tag] = this.#tags
    if (this.#tags.length === 1) return isOneOf(tag.name, [...keys])
    const branches = this.#branches(keys)
    return branches === null ? null : anyOf(branches)
  }

  /** Passes all rows but those of these keys; of them too where it would be too long. Null is all. */
  except(keys: ReadonlySet<TagKey>): NativeFilter | null {
    const [tag] = this.#tags
    if (this.#tags.length === 1) {
      const others = not(isOneOf(tag.name, [...keys]))
      return keys.has(null) ? others : anyOf([others, isNull(tag.name)])
    }
    const branches = this.#branches(keys)
    if (branches === null) return null
    // What is compared with null is neither so nor not so.
    return anyOf([not(anyOf(branches)), ...this.#tags.map(({ name }) => isNull(name))])
  }

  /** The combinations as few filters: one for all values of the tag that has the most of them. */
  #branches(keys: Iterable<TagKey>): NativeFilter[] | null {
    const combinations = [...keys].map((key): Values => JSON.parse(String(key)))
    const counts = this.#tags.map((_, index) => new Set(combinations.map((values) => values[index])).size)
    const widest = counts.indexOf(Math.max(...counts))
    const branches = new Map<string, { readonly values: Values; readonly widest: Set<string | null> }>()
    for (const values of combinations) {
      const others = JSON.stringify(values.filter((_, index) => index !== widest))
      const branch = branches.get(others) ?? { values, widest: new Set() }
      branch.widest.add(values[widest])
      branches.set(others, branch)
      if (branches.size > branchesMax) return null
    }
    return [...branches.values()].map((branch) => this.#branch(branch.values, widest, branch.widest))
  }

  #branch(values: Values, widest: number, ofWidest: ReadonlySet<string | null>): NativeFilter {
    const filters = this.#tags.map(({ name }, index) =>
      isOneOf(name, index === widest ? [...ofWidest] : [values[index]]),
    )
    return allOf(filters) ?? { type: 'true' }
  }
}

function valueIn(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

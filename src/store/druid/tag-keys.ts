// The tags that distinguish items, as they appear in rows from Druid: the value of one tag, or the combination of several.
import type { EntityField } from '../../model/entity.ts'
import type { Selection } from '../../model/plan.ts'
import { allOf, anyOf, isNull, isOneOf, type NativeDimension, type NativeFilter, not } from './native-query.ts'

/** The value of a single tag, or the values of several tags as one string. */
export type TagKey = string | null

type Values = readonly (string | null)[]

/** The most combinations of the other tags that a query names: each is a filter of its own. */
const branchesMax = 1000

export class TagKeys {
  readonly #tags: readonly EntityField[]

  constructor({ tags }: Selection) {
    this.#tags = tags
  }

  get dimensions(): readonly NativeDimension[] {
    return this.#tags.map(({ name }, index) => {
      return { type: 'default', dimension: name, outputName: `:tag${index}`, outputType: 'STRING' }
    })
  }

  /** The number of columns that the tags have in a row. */
  get columns(): number {
    return this.#tags.length
  }

  /** The key of a row whose tags start at a column. */
  at(row: readonly unknown[], column: number): TagKey {
    if (this.#tags.length === 1) return valueIn(row[column])
    return JSON.stringify(row.slice(column, column + this.#tags.length).map(valueIn))
  }

  /** Passes the rows of these keys, and also others if an exact filter would be too long. Null passes all. */
  among(keys: Iterable<TagKey>): NativeFilter | null {
    const [tag] = this.#tags
    if (this.#tags.length === 1) return isOneOf(tag.name, [...keys])
    const branches = this.#branches(keys)
    return branches === null ? null : anyOf(branches)
  }

  /** Passes all rows except those of these keys, or even those if an exact filter would be too long. Null passes all. */
  except(keys: ReadonlySet<TagKey>): NativeFilter | null {
    const [tag] = this.#tags
    if (this.#tags.length === 1) {
      const others = not(isOneOf(tag.name, [...keys]))
      return keys.has(null) ? others : anyOf([others, isNull(tag.name)])
    }
    const branches = this.#branches(keys)
    if (branches === null) return null
    // A comparison with null is neither true nor false.
    return anyOf([not(anyOf(branches)), ...this.#tags.map(({ name }) => isNull(name))])
  }

  /** The combinations as few filters: each names all values of the tag with the most distinct values. */
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

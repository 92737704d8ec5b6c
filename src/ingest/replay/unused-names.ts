import { likelyWord } from '../../lib/likely-word.ts'
import type { RowMapping, UnusedName } from '../../model/row-mapping.ts'

/** The most names of rows remembered for suggestions. */
const namesMax = 1000

/** Finds names of a mapping that no row has; they are probably misspelt. */
export class UnusedNames {
  readonly #left: Readonly<Record<UnusedName['of'], Set<string>>>
  readonly #there: Readonly<Record<UnusedName['of'], Set<string>>>

  constructor({ drop, rename, convert }: Pick<RowMapping, 'drop' | 'rename' | 'convert'>) {
    this.#left = { drop: new Set(drop), rename: new Set(rename.keys()), convert: new Set(convert.keys()) }
    this.#there = { drop: new Set(), rename: new Set(), convert: new Set() }
  }

  /** Records the properties of a row when the given part of the mapping is applied. */
  met(of: UnusedName['of'], members: readonly { readonly key: string }[]): void {
    const [left, there] = [this.#left[of], this.#there[of]]
    if (left.size === 0) return
    for (const { key } of members) {
      left.delete(key)
      if (there.size < namesMax) there.add(key)
    }
  }

  list(): readonly UnusedName[] {
    return (['drop', 'rename', 'convert'] as const).flatMap((of) =>
      [...this.#left[of]].map((name) => ({ of, name, likely: likelyWord(name, this.#there[of]) })),
    )
  }
}

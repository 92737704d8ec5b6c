import type { SealedFile } from '../reading/sealed-source.ts'
import { DamagedFileError } from '../sealed/damaged-file.ts'
import { chooseMerge, type MergeRules } from '../sealing/choose-merge.ts'

/** Chooses the files that are merged next. Files that could not be merged do not hold up the rest. */
export class MergeChoice {
  readonly #rules: MergeRules
  /** Files that a merge could not read; other files are merged without them. */
  readonly #damaged = new Set<SealedFile>()
  /** Files of merges that failed otherwise; other files are merged before them. */
  readonly #postponed = new Set<SealedFile>()

  constructor(rules: MergeRules) {
    this.#rules = rules
  }

  get damaged(): ReadonlySet<SealedFile> {
    return this.#damaged
  }

  choose(files: readonly SealedFile[]): readonly SealedFile[] | null {
    const sound = files.filter((file) => !this.#damaged.has(file))
    const fresh = sound.filter((file) => !this.#postponed.has(file))
    const chosen = chooseMerge(fresh, this.#rules)
    if (chosen !== null || fresh.length === sound.length) return chosen
    this.#postponed.clear()
    return chooseMerge(sound, this.#rules)
  }

  /** The number of files in the next merge. Files of failed merges, which are tried last, do not count. */
  waiting(files: readonly SealedFile[]): number {
    const fresh = files.filter((file) => !this.#damaged.has(file) && !this.#postponed.has(file))
    return chooseMerge(fresh, this.#rules)?.length ?? 0
  }

  failed(merged: readonly SealedFile[], error: unknown): void {
    const damaged = error instanceof DamagedFileError ? merged.filter(({ info }) => error.path.includes(info.name)) : []
    for (const file of damaged) this.#damaged.add(file)
    if (damaged.length === 0) for (const file of merged) this.#postponed.add(file)
  }
}

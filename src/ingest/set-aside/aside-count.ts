import type { SetAsideCatalog } from '../../catalog/set-aside.ts'

/** What is set aside and not let go yet, as it was when it was looked at last: what /readyz and /metrics tell. */
export class AsideCount {
  readonly #setAside: Pick<SetAsideCatalog, 'list'>
  #entries = 0
  #rows = 0

  constructor(setAside: Pick<SetAsideCatalog, 'list'>) {
    this.#setAside = setAside
  }

  get entries(): number {
    return this.#entries
  }

  /** The rows of these entries that were not judged. */
  get rows(): number {
    return this.#rows
  }

  async refresh(): Promise<void> {
    const kept = (await this.#setAside.list()).filter(({ isLetGo }) => !isLetGo)
    this.#entries = kept.length
    this.#rows = kept.reduce((sum, { position, rows, fromPosition }) => sum + position + rows - fromPosition, 0)
  }
}

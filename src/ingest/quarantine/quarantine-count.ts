import type { QuarantineCatalog } from '../../catalog/quarantine.ts'

/** Counts of what is in quarantine and not released, as of the last refresh, for /readyz and /metrics. */
export class QuarantineCount {
  readonly #quarantine: Pick<QuarantineCatalog, 'list'>
  #entries = 0
  #rows = 0

  constructor(quarantine: Pick<QuarantineCatalog, 'list'>) {
    this.#quarantine = quarantine
  }

  get entries(): number {
    return this.#entries
  }

  /** Rows of these entries that were not validated. */
  get rows(): number {
    return this.#rows
  }

  async refresh(): Promise<void> {
    const kept = (await this.#quarantine.list()).filter(({ isReleased }) => !isReleased)
    this.#entries = kept.length
    this.#rows = kept.reduce((sum, { position, rows, fromPosition }) => sum + position + rows - fromPosition, 0)
  }
}

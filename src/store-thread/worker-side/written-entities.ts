import type { RowBatch } from '../../model/row-batch.ts'
import type { SeriesWriter } from '../../store/series-store.ts'

/** Records the entities that the rows of a step are written to. */
export class WrittenEntities implements SeriesWriter {
  readonly #store: SeriesWriter
  #entityIds = new Set<number>()

  constructor(store: SeriesWriter) {
    this.#store = store
  }

  get position(): number {
    return this.#store.position
  }

  write(batch: RowBatch): void {
    this.#store.write(batch)
    this.#entityIds.add(batch.entityId)
  }

  /** The entities since the last call. */
  take(): readonly number[] {
    if (this.#entityIds.size === 0) return []
    const entityIds = [...this.#entityIds]
    this.#entityIds = new Set()
    return entityIds
  }
}

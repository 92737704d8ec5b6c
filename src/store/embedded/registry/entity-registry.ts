import { EntityColumns } from './entity-columns.ts'
import { SeriesIndex } from './series-index.ts'

/**
 * Shared by all holders of an entity's rows: the head, frozen tables and files. Series numbers never change and are stored on disk. Column
 * indices are valid for the lifetime of the process, because files name their columns.
 */
export class EntityRegistry {
  readonly entityId: number
  readonly series: SeriesIndex
  readonly columns = new EntityColumns()
  #hours: EntityRegistry | null = null

  constructor(entityId: number, series = new SeriesIndex()) {
    this.entityId = entityId
    this.series = series
  }

  /** The registry for files of a kind. */
  of({ kind }: { readonly kind: string }): EntityRegistry {
    return kind === 'hours' ? this.hours : this
  }

  /** The same series, with the columns that the hours of expired rows have. */
  get hours(): EntityRegistry {
    this.#hours ??= new EntityRegistry(this.entityId, this.series)
    return this.#hours
  }
}

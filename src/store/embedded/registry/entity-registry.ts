import { EntityColumns } from './entity-columns.ts'
import { SeriesIndex } from './series-index.ts'

/**
 * What all that hold rows of an entity share: the head, frozen tables and files. Numbers of series never change and are kept on disk;
 * indices of columns hold as long as the process, for files name their columns.
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

  /** That of files of a kind. */
  of({ kind }: { readonly kind: string }): EntityRegistry {
    return kind === 'hours' ? this.hours : this
  }

  /** The same series, with the columns that hours of rows which left have. */
  get hours(): EntityRegistry {
    this.#hours ??= new EntityRegistry(this.entityId, this.series)
    return this.#hours
  }
}

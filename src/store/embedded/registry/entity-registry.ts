import { EntityColumns } from './entity-columns.ts'
import { SeriesIndex } from './series-index.ts'

/**
 * What all that hold rows of an entity share: the head, frozen tables and files. Numbers of series never change and are kept on disk;
 * indices of columns hold as long as the process, for files name their columns.
 */
export class EntityRegistry {
  readonly entityId: number
  readonly series = new SeriesIndex()
  readonly columns = new EntityColumns()

  constructor(entityId: number) {
    this.entityId = entityId
  }
}

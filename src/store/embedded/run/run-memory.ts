import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { BatchColumns } from './batch-columns.ts'
import { GroupTable } from './group-table.ts'
import { OrderBuffers } from './order-by-time.ts'

/** Memory for more rows than this, which few runs need, is not kept for reuse. At most `keptMax` memories are. */
const keptRowsMax = 524_288
const keptMax = 4

/** The working memory for the rows that a run picks, orders and returns. It holds nothing that outlives the run. */
export class RunMemory {
  readonly chunkOf = new GrowableInt32()
  readonly rows = new GrowableInt32()
  readonly series = new GrowableInt32()
  readonly times = new GrowableFloat64()
  readonly order = new OrderBuffers()
  readonly groups = new GroupTable()
  readonly picks = new BatchColumns()
  /** Indexed by the column's place in a batch. */
  readonly columns: BatchColumns[] = []

  clear(): void {
    for (const picks of [this.chunkOf, this.rows, this.series, this.times]) picks.length = 0
  }
}

/** The memory of finished runs, for reuse. Allocating it for each run would cause pauses of the garbage collector. */
export class SpareMemory {
  readonly #spares: RunMemory[] = []

  take(): RunMemory {
    return this.#spares.pop() ?? new RunMemory()
  }

  give(memory: RunMemory): void {
    if (this.#spares.length === keptMax || memory.rows.values.length > keptRowsMax) return
    memory.clear()
    memory.groups.clear()
    this.#spares.push(memory)
  }
}

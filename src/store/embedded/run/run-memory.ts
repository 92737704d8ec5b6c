import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { BatchColumns } from './batch-columns.ts'
import { GroupTable } from './group-table.ts'
import { OrderRoom } from './order-by-time.ts'

/** Of larger memory, which few runs need, nothing is kept; nor more than this of any. */
const keptRowsMax = 524_288
const keptMax = 4

/** What a run notes of the rows that it picks, orders and hands out: it holds nothing that outlives the run. */
export class RunMemory {
  readonly chunkOf = new GrowableInt32()
  readonly rows = new GrowableInt32()
  readonly series = new GrowableInt32()
  readonly times = new GrowableFloat64()
  readonly order = new OrderRoom()
  readonly groups = new GroupTable()
  readonly picks = new BatchColumns()
  /** By the column's place in a batch. */
  readonly columns: BatchColumns[] = []

  clear(): void {
    for (const picks of [this.chunkOf, this.rows, this.series, this.times]) picks.length = 0
  }
}

/** Memory of runs that are over, for the next ones: what each would make anew comes to pauses of the garbage collector. */
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

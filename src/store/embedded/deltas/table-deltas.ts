import { join } from 'node:path'
import type { Disk } from '../../../lib/disk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { Problem } from '../../../model/problem.ts'
import type { RowsFile } from '../../../model/rows-file.ts'
import type { Table } from '../head/table.ts'
import { type DeltaRange, writeDelta } from './write-delta.ts'

/** A file with fewer than this many times the rows of the next file is rewritten together with it. */
const growth = 4

export interface DeltaFolder {
  readonly disk: Disk
  /** Emptied before the first file is written. */
  readonly directory: string
  /** Returns a name that no file had before. */
  readonly newName: () => string
  /** The most files of one table. */
  readonly filesMax: number
}

/** A file with rows of a table. Its identity is that of the object. */
export interface Delta {
  readonly file: RowsFile
  readonly rows: number
}

/** The number of rows of a table at one point in time: in total, and of each series. */
export interface TableState {
  readonly count: number
  readonly counts: Int32Array
}

type Part = Delta & { readonly range: DeltaRange }

const noRows = new Int32Array(0)

/**
 * The files of one table's rows. Each has the rows that came after those of the file before it. When rows are added, the newest files are
 * rewritten as one, so that there are few files and each row is written few times. Rows are read from the table, which keeps all of them
 * while it is in use.
 */
export class TableDeltas {
  readonly #table: Table
  readonly #folder: DeltaFolder
  #parts: readonly Part[] = []

  constructor(table: Table, folder: DeltaFolder) {
    this.#table = table
    this.#folder = folder
  }

  get deltas(): readonly Delta[] {
    return this.#parts
  }

  /**
   * Brings the files up to a state of the table; returns the files that are no longer needed. Calls must not overlap, and no state may be older
   * than the one before. If it throws, nothing has changed.
   */
  async bringUp({ count, counts: to }: TableState, pacer: Pacer): Promise<readonly Delta[]> {
    let rows = count - this.#parts.reduce((sum, part) => sum + part.rows, 0)
    if (rows === 0) return []
    let kept = this.#parts.length
    for (; kept > 0; kept--) {
      const last = this.#parts[kept - 1]!
      if (last.rows >= growth * rows && kept < this.#folder.filesMax) break
      rows += last.rows
    }
    const from = this.#parts[kept - 1]?.range.to ?? noRows
    const part = await this.#write({ from, to }, pacer)
    const old = this.#parts.slice(kept)
    this.#parts = [...this.#parts.slice(0, kept), part]
    return old
  }

  async #write(range: DeltaRange, pacer: Pacer): Promise<Part> {
    const { disk, directory, newName } = this.#folder
    const path = join(directory, `${this.#table.registry.entityId}-${newName()}.parquet`)
    const file = await disk.open(path, { create: true })
    try {
      const { rows, ...held } = await writeDelta(this.#table, range, file, pacer)
      await file.close()
      return { file: { path, checkedBy: null, ...held, isDistinct: false }, rows, range }
    } catch (error) {
      await file.close().catch(() => undefined)
      await disk.remove(path).catch(() => undefined)
      // Errors of the system have a code, such as that of a full disk.
      throw error instanceof Error && 'code' in error && !(error instanceof Problem) ? unwritten(error) : error
    }
  }
}

function unwritten(cause: Error): Problem {
  return new Problem(
    'unavailable',
    'The newest rows could not be written to disk for the SQL engine; data queries see them. The operator should check whether the disk of the data folder is full.',
    { cause },
  )
}

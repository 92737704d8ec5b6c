import type { EngineTable } from '../../sql-engine/sql-engine.ts'
import type { NativeRun, SqlRun } from '../protocol.ts'

/** Beyond this, the oldest are forgotten and checked again. */
const filesMax = 100_000

type Run = Omit<SqlRun, 'budget'> | Omit<NativeRun, 'budget'>

/** The sealed files found whole since the service started. A file never changes, and its name is never used again. */
export class CheckedFiles {
  readonly #paths = new Set<string>()
  readonly #filesMax: number

  constructor(max = filesMax) {
    this.#filesMax = max
  }

  add(path: string): void {
    this.#paths.add(path)
    for (const oldest of this.#paths) {
      if (this.#paths.size <= this.#filesMax) return
      this.#paths.delete(oldest)
    }
  }

  /** The same run, without checks of these files. */
  known<R extends Run>(run: R): R {
    if (run.kind === 'native')
      return { ...run, tables: run.tables.map(({ name, table }) => ({ name, table: this.#table(table) })) }
    return { ...run, query: { ...run.query, tables: run.query.tables.map((table) => this.#table(table)) } }
  }

  #table(table: EngineTable): EngineTable {
    const files = table.files.map((file) => (this.#paths.has(file.path) ? { ...file, checkedBy: null } : file))
    return { ...table, files }
  }
}

// Entities as native queries see them, over the files of one moment.

import { druidType } from '../../algebra/druid-expression.ts'
import type { Interval } from '../../druid-time/iso.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import {
  type EngineFile,
  type EngineRow,
  type EngineTable,
  filesWithin,
  type SqlEngine,
} from '../../sql-engine/sql-engine.ts'
import type { FileDays } from './file-days.ts'
import type { DayBounds, NativeEngine, NativeTable } from './native-engine.ts'

/** An entity that a query may read, by its name. */
export interface NamedTable {
  readonly name: string
  readonly table: EngineTable
}

export interface FileTablesParts {
  readonly engine: SqlEngine
  readonly tables: readonly NamedTable[]
  readonly days: FileDays
  readonly signal: AbortSignal
}

export class FileTables implements NativeEngine {
  readonly #parts: FileTablesParts
  /** The files that statements so far are made of. */
  readonly #read = new Set<EngineFile>()
  #rows = 0

  constructor(parts: FileTablesParts) {
    this.#parts = parts
  }

  /** All rows that the engine has given. */
  get rows(): number {
    return this.#rows
  }

  async table(name: string): Promise<NativeTable | null> {
    const found = this.#parts.tables.find((one) => one.name === name)
    if (found === undefined) return null
    const { table } = found
    return {
      name,
      columns: tableColumns(table),
      time: sql`t."t"`,
      position: sql`t."p"`,
      from: (intervals, newestFirst) => {
        const within = hull(intervals)
        for (const file of filesWithin(table.files, within)) this.#read.add(file)
        return this.#parts.engine.source(table, within, newestFirst)
      },
    }
  }

  days({ name }: NativeTable): Promise<readonly DayBounds[]> {
    const { engine, days, signal, tables } = this.#parts
    const { table } = tables.find((one) => one.name === name)!
    return days.of(table, engine, signal)
  }

  async *run(statement: Sql): AsyncGenerator<readonly EngineRow[]> {
    const { engine, signal } = this.#parts
    for await (const rows of engine.rows(statement, [...this.#read], signal)) {
      this.#rows += rows.length
      yield rows
    }
  }
}

/** The columns beside the time. */
export function tableColumns({ fields }: EngineTable): NativeTable['columns'] {
  return fields.slice(1).map((field, index) => columnOf(field, sql`t.${sql.id(`c${index + 1}`)}`))
}

function columnOf({ name, type }: EngineTable['fields'][number], column: Sql): NativeTable['columns'][number] {
  return { name, type: druidType(type), value: type === 'timestamp' ? sql`epoch_ms(${column})` : column }
}

/** What a file's time can be. */
const [earliestMs, latestMs] = [-62_135_596_800_000, 253_402_300_800_000]

/** The least range that holds all intervals. */
function hull(intervals: readonly Interval[]): { fromMs: number; untilMs: number } {
  // They are sorted and lie apart.
  return { fromMs: clip(intervals[0]?.startMs ?? latestMs), untilMs: clip(intervals.at(-1)?.endMs ?? earliestMs) }
}

const clip = (ms: number): number => Math.max(earliestMs, Math.min(latestMs, ms))

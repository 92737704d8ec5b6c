// Tables of entities for native queries, over the files of one moment.

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

/** An entity that a query may read, and its name. */
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
  /** The files that statements have used so far. */
  readonly #read = new Set<EngineFile>()
  #rows = 0

  constructor(parts: FileTablesParts) {
    this.#parts = parts
  }

  /** Total rows returned by the engine. */
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

/** All columns except the time. */
export function tableColumns({ fields }: EngineTable): NativeTable['columns'] {
  return fields.slice(1).map((field, index) => columnOf(field, sql`t.${sql.id(`c${index + 1}`)}`))
}

function columnOf({ name, type }: EngineTable['fields'][number], column: Sql): NativeTable['columns'][number] {
  return { name, type: druidType(type), value: type === 'timestamp' ? sql`epoch_ms(${column})` : column }
}

/** The possible times of a file. */
const [earliestMs, latestMs] = [-62_135_596_800_000, 253_402_300_800_000]

/** The smallest range that contains all intervals. */
function hull(intervals: readonly Interval[]): { fromMs: number; untilMs: number } {
  // Intervals are sorted and disjoint.
  return { fromMs: clip(intervals[0]?.startMs ?? latestMs), untilMs: clip(intervals.at(-1)?.endMs ?? earliestMs) }
}

const clip = (ms: number): number => Math.max(earliestMs, Math.min(latestMs, ms))

import { sql } from '../../lib/sql-text.ts'
import { msPerDay } from '../../model/instant.ts'
import type { EngineTable, SqlEngine } from '../../sql-engine/sql-engine.ts'
import type { DayBounds } from './native-engine.ts'

type File = EngineTable['files'][number]

/** Maximum number of files whose days are cached. Most files contain a single day and need no entry. */
const knownFilesMax = 10_000

const dayOf = (ms: number): number => Math.floor(ms / msPerDay)

/**
 * The days that have rows, with the first and last time of each. A file of a single day is known from its bounds; the times of other files are read
 * once and cached, because files never change.
 */
export class FileDays {
  readonly #known = new Map<string, readonly DayBounds[]>()

  /** The days of a table, oldest first. Throws errors of the engine. */
  async of(table: EngineTable, engine: SqlEngine, signal: AbortSignal): Promise<readonly DayBounds[]> {
    const several = table.files.filter(({ path, firstMs, lastMs }) => {
      return dayOf(firstMs) !== dayOf(lastMs) && !this.#known.has(path)
    })
    if (several.length > 0) await this.#learn(table, several, engine, signal)
    const days = new Map<number, DayBounds>()
    for (const { path, firstMs, lastMs } of table.files) {
      for (const { minMs, maxMs } of this.#known.get(path) ?? [{ minMs: firstMs, maxMs: lastMs }]) {
        // Rows expire by whole days.
        if (table.sinceMs !== null && maxMs < table.sinceMs) continue
        const known = days.get(dayOf(minMs)) ?? { minMs, maxMs }
        days.set(dayOf(minMs), { minMs: Math.min(known.minMs, minMs), maxMs: Math.max(known.maxMs, maxMs) })
      }
    }
    return [...days.values()].sort((left, right) => left.minMs - right.minMs)
  }

  async #learn(table: EngineTable, files: readonly File[], engine: SqlEngine, signal: AbortSignal): Promise<void> {
    const times = files.map((file, index) => {
      const alone = { ...table, fields: table.fields.slice(0, 1), files: [file], sinceMs: null, replacesBy: null }
      return sql`SELECT ${sql.long(index)} AS i, "c0" FROM ${engine.source(alone, null)} AS t`
    })
    const all = sql.join(times, ' UNION ALL ')
    const statement = sql`SELECT i, epoch_ms(min("c0")), epoch_ms(max("c0")) FROM (${all}) AS f GROUP BY i, CAST("c0" AS DATE)`
    const found = files.map((): DayBounds[] => [])
    for await (const rows of engine.rows(statement, files, signal)) {
      for (const [index, minMs, maxMs] of rows)
        found[Number(index)]!.push({ minMs: Number(minMs), maxMs: Number(maxMs) })
    }
    files.forEach(({ path }, index) => {
      this.#known.set(path, found[index]!)
    })
    for (const path of this.#known.keys()) {
      if (this.#known.size <= knownFilesMax) return
      this.#known.delete(path)
    }
  }
}

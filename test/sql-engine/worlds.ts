// The same rows in memory, in files and in both, queried by the SQL engine as it is, by the engine without its optimizers, and by the store.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { readNativeQuery } from '../../src/druid-native/parse/read-query.ts'
import { FileDays } from '../../src/druid-native/run/file-days.ts'
import { FileTables } from '../../src/druid-native/run/file-tables.ts'
import { runNative } from '../../src/druid-native/run/run-native.ts'
import { sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { planSql } from '../../src/druid-sql/plan/plan-sql.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { Zone } from '../../src/druid-time/zone.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { Pacer } from '../../src/lib/pacer.ts'
import { Sql } from '../../src/lib/sql-text.ts'
import { DuckdbEngine, readRows } from '../../src/sql-engine/duckdb/duckdb-engine.ts'
import { piecesOf } from '../../src/sql-engine/duckdb/read-chunk.ts'
import { StringMemory } from '../../src/sql-engine/duckdb/string-memory.ts'
import { withTables } from '../../src/sql-engine/duckdb/table-sql.ts'
import { engineTable } from '../../src/sql-engine/entity-table.ts'
import type { EngineRow, EngineTable } from '../../src/sql-engine/sql-engine.ts'
import { Snapshots } from '../../src/store/embedded/deltas/snapshots.ts'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { LocalFolder } from '../../src/store/embedded/sealed/local-folder.ts'
import { sealRows } from '../../src/store/embedded/sealing/sealer.ts'
import { runQuery } from '../../src/store-thread/worker-side/store-requests.ts'
import { columnOf } from '../support/random-rows.ts'
import { fields, type Table, tables } from './tables.ts'

const { signal } = new AbortController()
const budget = { free: () => 2 ** 28 } as never
const limits = { resultRows: 1_000_000, resultBytes: 2 ** 28, buckets: 1e6 }
const sqlTables = tables.map(({ entity }) => sqlTable(entity))

/** Where the rows are. */
export const places = ['in memory', 'in files', 'in both'] as const
type Place = (typeof places)[number]

interface World {
  readonly store: EmbeddedStore
  readonly engineTables: ReadonlyMap<number, EngineTable>
}

export type Answer = readonly (readonly unknown[])[]

/** A planted fault: a change of the engine's SQL before it runs. */
export type Planted = (text: string) => string

export class Worlds {
  readonly #directory = mkdtempSync(join(tmpdir(), 'tidemark-sql-engine-'))
  readonly #worlds = new Map<Place, World>()
  #engine!: DuckdbEngine
  #plain!: DuckDBConnection
  #names = 0

  static async open(): Promise<Worlds> {
    const worlds = new Worlds()
    const directory = worlds.#directory
    await nodeDisk.makeDirectory(join(directory, 'deltas'))
    for (const place of places) worlds.#worlds.set(place, await worlds.#world(place))
    worlds.#engine = await DuckdbEngine.open({
      directories: [directory],
      temporaryDirectory: join(directory, 'temporary'),
      temporaryBytes: 2 ** 28,
      memoryBytes: 2 ** 29,
      textBytes: 2 ** 26,
      // A single thread would hide interactions between threads.
      threads: 2,
    })
    worlds.#plain = await unoptimized()
    return worlds
  }

  close(): void {
    this.#engine.close()
    this.#plain.closeSync()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** Throws the Problem of a refused query. */
  async sql(text: string, place: Place, planted: Planted = (one) => one): Promise<Answer> {
    return answerOf(this.#engine.rows(this.#statement(text, place, planted), [], signal))
  }

  /** Runs the query without the engine's optimizers. */
  async unoptimized(text: string): Promise<Answer> {
    return answerOf(
      rowsOf(
        this.#plain,
        this.#statement(text, 'in memory', (one) => one),
      ),
    )
  }

  /** The store's own answer; null if it leaves the query to the SQL engine. */
  async byStore(text: string, place: Place): Promise<Answer | null> {
    const read = tables.filter(({ entity }) => new RegExp(`\\b${entity.name}\\b`).test(text))
    if (read.length !== 1) return null
    const { entity } = read[0]!
    const checked = translateSql(text, [sqlTable(entity)])
    const plan = planSql({ zone: Zone.utc }, checked, entity, Date.UTC(2026, 1, 1))
    if (plan === null) return null
    const { store } = this.#worlds.get(place)!
    const settings = { sliceMs: 5, spoolDirectory: this.#directory }
    const answer = await runQuery(store, { language: 'sql', plan, format: 'json', limits, budget }, settings, signal)
    if (answer === null) return null
    if (answer.body.kind !== 'memory') throw new Error('small answers stay in memory')
    const items = JSON.parse(Buffer.concat(answer.body.chunks).toString()) as object[]
    return items.map((item) => checked.columns.map(({ name }) => plain((item as Record<string, unknown>)[name])))
  }

  /** The values of the first result of a timeseries over all time. */
  async native(query: object, place: Place): Promise<Answer> {
    const { engineTables } = this.#worlds.get(place)!
    const named = tables.map(({ entity }) => ({ name: entity.name, table: engineTables.get(entity.id)! }))
    const within = new FileTables({ engine: this.#engine, tables: named, days: new FileDays(), signal })
    let text = ''
    const nativeLimits = { rowsMax: limits.resultRows, bucketsMax: 1e6, bytesMax: limits.resultBytes }
    for await (const piece of runNative(readNativeQuery(query), within, nativeLimits)) text += piece
    const [first] = JSON.parse(text) as { result: Record<string, unknown> }[]
    return [Object.values(first?.result ?? {}).map(plain)]
  }

  #statement(asked: string, place: Place, planted: Planted): Sql {
    const { text, entityIds } = translateSql(asked, sqlTables)
    const { engineTables } = this.#worlds.get(place)!
    const read = entityIds.map((id) => engineTables.get(id)!)
    return new Sql(withTables(planted(text), read), [])
  }

  async #world(place: Place): Promise<World> {
    const store = new EmbeddedStore({ chunkRows: 4096 })
    const folder = new LocalFolder({
      disk: nodeDisk,
      directory: this.#directory,
      registryOf: (entityId) => store.registry(entityId),
      pageRows: 512,
      pageCacheBytes: 65_536,
      indexCacheBytes: 100_000,
      writing: { groupRows: 2000 },
    })
    for (const part of [0, 1]) {
      for (const table of tables) write(store, table, part)
      if (part === (place === 'in files' ? 1 : place === 'in both' ? 0 : null)) await seal(store, folder)
    }
    const snapshots = new Snapshots({
      store,
      folder: {
        disk: nodeDisk,
        directory: join(this.#directory, 'deltas'),
        newName: () => String(this.#names++),
        filesMax: 3,
      },
      describe: (file) => {
        const { paths, fields: names } = folder.describe(file)
        return { path: paths.parquet, checkedBy: null, fields: names }
      },
      sliceMs: 5,
      removalFailed: (path, error) => {
        throw new Error(path, { cause: error })
      },
    })
    // The snapshot is held until the folder is deleted.
    const { entities } = await snapshots.take(
      tables.map(({ entity }) => entity.id),
      signal,
    )
    const engineTables = tables.map(({ entity }, index) => engineTable(entity, entities[index]?.files ?? []))
    return { store, engineTables: new Map(engineTables.map((table) => [table.entityId, table])) }
  }
}

/** Writes every second row with each part, so that a day is partly in a file and partly in memory. */
function write(store: EmbeddedStore, { entity, rows }: Table, part: number): void {
  const mine = rows.filter((_, index) => (Math.floor(index / 40) + index) % 2 === part)
  if (mine.length === 0) return
  const columns = fields.map(({ type }, place) =>
    columnOf(
      type,
      mine.map((row) => row[place]!),
    ),
  )
  const positions = Float64Array.from(mine, (row) => Number(row.at(-1)))
  store.write({ entityId: entity.id, rows: mine.length, positions, fields, columns })
}

async function seal(store: EmbeddedStore, folder: LocalFolder): Promise<void> {
  const frozen = store.freeze(1)
  const pacer = new Pacer({ sliceMs: 5, signal })
  const add = await sealRows(frozen, { folder, dayRowsMin: 1, sinceMs: () => null, pacer, reach: () => {} })
  store.switchFiles({ add, remove: [], frozen, gone: () => {} })
}

/** An engine without optimizers, with one thread. */
async function unoptimized(): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  new StringMemory(2 ** 40).register(connection)
  await connection.run("SET TimeZone = 'UTC'")
  await connection.run('SET order_by_non_integer_literal = true')
  const all = (await connection.runAndReadAll('SELECT name FROM duckdb_optimizers()')).getRows().map(String)
  await connection.run(`SET disabled_optimizers = '${all.join(',')}'`)
  return connection
}

async function* rowsOf(connection: DuckDBConnection, { text, parameters }: Sql): AsyncGenerator<readonly EngineRow[]> {
  const result = await connection.stream(text, [...parameters])
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) return
    for (const piece of piecesOf(chunk)) yield readRows(chunk, piece)
  }
}

async function answerOf(parts: AsyncIterable<readonly EngineRow[]>): Promise<Answer> {
  const rows: unknown[][] = []
  for await (const part of parts) for (const row of part) rows.push(row.map(plain))
  return rows
}

/** Maps values that are equal to a caller to one value: sums of doubles may differ in their last digits. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'boolean') return Number(value)
  const number = typeof value === 'bigint' ? Number(value) : value
  return typeof number === 'number' ? Number(number.toPrecision(9)) + 0 : value
}

/** The rows as sorted texts, for comparing answers without an order. */
export const asSet = (answer: Answer): readonly string[] => answer.map((row) => JSON.stringify(row)).sort()

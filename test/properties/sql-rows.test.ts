// SQL sees the rows that data queries see, wherever they are stored: in memory, frozen, sealed, merged, replaced, expired.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { type Value, valueAt } from '../../src/model/column.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import type { Plan, Selection } from '../../src/model/plan.ts'
import { DuckdbEngine } from '../../src/sql-engine/duckdb/duckdb-engine.ts'
import { engineTable } from '../../src/sql-engine/entity-table.ts'
import { LongOverflow, type SqlEngine } from '../../src/sql-engine/sql-engine.ts'
import { CheckedEngine } from '../../src/sql-process/worker-side/checked-engine.ts'
import { FileChecks } from '../../src/sql-process/worker-side/file-checks.ts'
import { Snapshots } from '../../src/store/embedded/deltas/snapshots.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { openBlocking } from '../../src/store/embedded/sealed/blocking-file.ts'
import { checkBytes } from '../../src/store/embedded/sealed/check-bytes.ts'
import { LocalFolder } from '../../src/store/embedded/sealed/local-folder.ts'
import { checkHistory, type SeenHistory } from '../support/data-at-rest.ts'
import type { Draw } from '../support/random-rows.ts'
import { rounds } from '../support/rounds.ts'

const directory = mkdtempSync(join(tmpdir(), 'tidemark-sql-rows-'))
const deltas = join(directory, 'deltas')
let engine: SqlEngine
beforeAll(async () => {
  await nodeDisk.makeDirectory(deltas)
  const duckdb = await DuckdbEngine.open({
    directories: [directory],
    temporaryDirectory: join(directory, 'temporary'),
    temporaryBytes: 2 ** 28,
    memoryBytes: 2 ** 28,
    textBytes: 2 ** 26,
    threads: 1,
  })
  // Checks files as if every query were the first after a start.
  const check = (parquet: string, index: string): Promise<void> =>
    checkBytes({ parquet, index }, nodeDisk, openBlocking)
  engine = new CheckedEngine(duckdb, new FileChecks(check, () => undefined))
})
afterAll(() => {
  engine.close()
  rmSync(directory, { recursive: true })
})

const filesMax = 3
let names = 0
const snapshotsOf = new WeakMap<EmbeddedStore, Snapshots>()

function snapshots({ store, folder }: SeenHistory): Snapshots {
  const known = snapshotsOf.get(store)
  if (known !== undefined) return known
  if (!(folder instanceof LocalFolder)) throw new Error('the rows lie in files that an engine can read')
  const made = new Snapshots({
    store,
    folder: { disk: nodeDisk, directory: deltas, newName: () => String(names++), filesMax },
    describe: (file) => {
      const { paths, fields } = folder.describe(file)
      return { path: paths.parquet, checkedBy: paths.index, fields }
    },
    sliceMs: 5,
    removalFailed: (path, error) => {
      throw new Error(path, { cause: error })
    },
  })
  snapshotsOf.set(store, made)
  return made
}

async function ask(text: string, entity: Entity, files: Parameters<typeof engineTable>[1]): Promise<Value[][]> {
  const run = async (wraps: boolean): Promise<Value[][]> => {
    const { text: plainText, wrappedText, columns } = translateSql(text, [sqlTable(entity)])
    const query = {
      text: wraps ? wrappedText : plainText,
      types: columns.map(({ type }) => type),
      tables: [engineTable(entity, files)],
    }
    const rows: Value[][] = []
    for await (const batch of engine.run(query, { resultRows: 1e6 }, new AbortController().signal)) {
      for (let row = 0; row < batch.rows; row++) rows.push(batch.columns.map((column) => valueAt(column, row)))
    }
    return rows
  }
  try {
    return await run(false)
  } catch (error) {
    if (error instanceof LongOverflow) return run(true)
    throw error
  }
}

/** Rows as sorted strings: rows without an order compare as sets, and values that a caller cannot distinguish compare as equal. */
function plain(rows: readonly (readonly Value[])[]): string[] {
  const text = (value: Value): string =>
    typeof value === 'boolean' ? String(Number(value)) : value === 0 ? '0' : String(value)
  return rows.map((row) => JSON.stringify(row.map(text))).sort()
}

const quoted = ({ name }: EntityField): string => (name === 'D' ? '__time' : `"${name}"`)

async function look(seen: SeenHistory): Promise<void> {
  const { model, entity: pushed, replaces, sinceMs } = seen
  const fields = [pushed.time, ...pushed.tags, ...pushed.others]
  const entity: Entity = {
    id: 1,
    name: 'plant',
    fields,
    duplicates: replaces ? 'replace' : 'keep',
    ingests: [],
    retention: null,
    sinceMs,
  }
  const [tag, ...otherTags] = pushed.tags
  const metrics = pushed.others
  const selection: Selection = {
    entityId: 1,
    sinceMs,
    time: pushed.time,
    tags: [tag!],
    ids: null,
    prefixes: null,
    metrics,
    fields: otherTags,
  }
  const { entities, release } = await snapshots(seen).take([1], new AbortController().signal)
  const { files } = entities[0]!
  try {
    const any = metrics.map((metric) => `${quoted(metric)} IS NOT NULL`).join(' OR ')
    const items = await ask(`SELECT ${fields.map(quoted).join(', ')} FROM plant WHERE ${any}`, entity, files)
    const range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
    expect(plain(items)).toEqual(plain(model.run({ kind: 'select', selection, range })))
    const measure = metrics.at(-1)!
    const latest: Plan = {
      kind: 'latest',
      selection: { ...selection, metrics: [measure], fields: [] },
      fromMs: Number.NEGATIVE_INFINITY,
    }
    const value = quoted(measure)
    const newest = `SELECT MAX(__time), ${quoted(tag!)}, LATEST(${value}) FROM plant WHERE ${value} IS NOT NULL GROUP BY ${quoted(tag!)}`
    expect(plain(await ask(newest, entity, files))).toEqual(plain(model.run(latest)))
    const [[count]] = await ask('SELECT COUNT(*) FROM plant', entity, files)
    expect(count).toBe(model.statistics(1, sinceMs).rows)
    await lookAtRanges(entity, files)
  } finally {
    release()
  }
}

let looks = 0

/** Runs one of these queries per call. Of unchecked files only those in a query's time range are read; the result must be that over all files. */
async function lookAtRanges(entity: Entity, files: Parameters<typeof engineTable>[1]): Promise<void> {
  const times = (await ask('SELECT __time FROM plant', entity, files)).map(([ms]) => Number(ms)).sort((a, b) => a - b)
  const at = (share: number): string => `MILLIS_TO_TIMESTAMP(${times[Math.floor(share * (times.length - 1))] ?? 0})`
  const [early, late] = [at(0.3), at(0.7)]
  const checked = files.map((file) => ({ ...file, checkedBy: null }))
  const texts = [
    `SELECT * FROM plant WHERE __time >= ${early}`,
    `SELECT * FROM plant WHERE __time < ${late} AND __time > ${early}`,
    `SELECT * FROM plant WHERE __time BETWEEN ${early} AND ${late}`,
    `SELECT * FROM plant WHERE __time = ${early} OR __time = ${late}`,
    `SELECT * FROM plant WHERE NOT (__time < ${late})`,
    `SELECT COUNT(*) AS n, MAX(__time) AS m FROM plant WHERE __time <= ${early}`,
    `SELECT a.__time AS a, b.__time AS b FROM plant AS a LEFT JOIN (SELECT * FROM plant WHERE __time > ${late}) AS b ON a.__time = b.__time WHERE a.__time >= ${early}`,
    `SELECT COUNT(*) AS n FROM plant WHERE __time > ${late} AND (SELECT COUNT(*) FROM plant AS o WHERE o.__time < ${early}) > 0`,
    `SELECT COUNT(*) AS n FROM plant UNION ALL SELECT COUNT(*) FROM plant WHERE __time > ${late}`,
    `SELECT __time FROM plant WHERE __time < ${early} UNION ALL SELECT __time FROM plant WHERE __time > ${late}`,
  ]
  const text = texts[looks++ % texts.length]!
  expect(plain(await ask(text, entity, files)), text).toEqual(plain(await ask(text, entity, checked)))
}

function storedFolder(store: EmbeddedStore, draw: Draw): LocalFolder {
  return new LocalFolder({
    disk: nodeDisk,
    directory,
    registryOf: (entityId) => store.registry(entityId),
    pageRows: 4 + draw(12),
    pageCacheBytes: 4096,
    indexCacheBytes: 100_000,
    writing: { sharedPageRows: 4, groupRows: 30 },
  })
}

test('SQL reads the rows of random histories', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), (seed) => checkHistory(seed, { folder: storedFolder, look, deletes: seed % 2 === 0 })),
    { numRuns: rounds(12) },
  )
})

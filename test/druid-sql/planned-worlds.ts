// Random rows in a store and in the SQL engine, and functions to query both.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { AnswerData } from '../../src/answer/answer-data.ts'
import { storeRows } from '../../src/answer/store-rows.ts'
import { sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { planSql } from '../../src/druid-sql/plan/plan-sql.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { Zone } from '../../src/druid-time/zone.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import type { AnswerFormat } from '../../src/model/answer-format.ts'
import type { Value } from '../../src/model/column.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import { DuckdbEngine } from '../../src/sql-engine/duckdb/duckdb-engine.ts'
import { engineTable } from '../../src/sql-engine/entity-table.ts'
import { LongOverflow, type SqlEngine } from '../../src/sql-engine/sql-engine.ts'
import { Snapshots } from '../../src/store/embedded/deltas/snapshots.ts'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { runQuery } from '../../src/store-thread/worker-side/store-requests.ts'
import { columnOf, type Draw, oneOf } from '../support/random-rows.ts'

const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'tag', type: 'string', role: 'tag' },
  { name: 'site', type: 'string', role: 'tag' },
  { name: 's', type: 'string', role: 'dimension' },
  { name: 'l', type: 'long', role: 'metric' },
  { name: 'k', type: 'long', role: 'metric' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'none', type: 'double', role: 'metric' },
  { name: 'b', type: 'boolean', role: 'dimension' },
]
const plant: Entity = {
  id: 1,
  name: 'plant',
  fields,
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}

const texts = ['', 'a', 'b', 'ab', 'á', "o'b", '\u{1f600}', '10', '%']
const longs = [0, 1, -3, 12, 9007199254740993n, -9223372036854775808n, 9223372036854775807n]
/** Their sums do not depend on the order. */
const doubles = [0, 1.5, -2.25, 100, 0.125, 1e6]
const dayMs = 86_400_000
const startMs = Date.UTC(2026, 0, 1)
const nowMs = startMs + 2 * dayMs + 3_600_000
const { signal } = new AbortController()

let directory: string
let deltas: string
let engine: SqlEngine

/** Call it at the head of each file that uses the engine: test files share this module, and each needs its own engine and folder. */
export function opensEngine(): void {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-planned-sql-'))
  deltas = join(directory, 'deltas')
  beforeAll(async () => {
    await nodeDisk.makeDirectory(deltas)
    engine = await DuckdbEngine.open({
      directories: [directory],
      temporaryDirectory: join(directory, 'temporary'),
      temporaryBytes: 2 ** 28,
      memoryBytes: 2 ** 28,
      textBytes: 2 ** 26,
      threads: 1,
    })
  })
  afterAll(() => {
    engine.close()
    rmSync(directory, { recursive: true })
  })
}

const orNull = <One>(draw: Draw, values: readonly One[]): One | null => (draw(5) === 0 ? null : oneOf(draw, values))
let names = 0

export interface World {
  readonly entity: Entity
  readonly store: EmbeddedStore
  readonly snapshots: Snapshots
}

/** With `duplicates: 'replace'`, half of the rows are frozen, so that rows with equal time and tags are in two tables. */
export function world(draw: Draw, count = 1 + draw(200), fromMs = startMs, duplicates = plant.duplicates): World {
  const rows = Array.from({ length: count }, (): Value[] => [
    fromMs + draw(4) * dayMs + draw(24) * 3_600_000 + draw(5) * 1000,
    oneOf(draw, texts),
    orNull(draw, ['x', 'y']),
    orNull(draw, texts),
    orNull(draw, longs),
    orNull(draw, [1, 2, -7, 4_000_000]),
    orNull(draw, doubles),
    null,
    orNull(draw, [true, false]),
  ])
  const store = new EmbeddedStore()
  const write = (start: number, end: number): void => {
    const part = rows.slice(start, end)
    if (part.length === 0) return
    const columns = fields.map(({ type }, place) =>
      columnOf(
        type,
        part.map((row) => row[place]!),
      ),
    )
    const pushedNulls = duplicates === 'replace' ? { pushedNulls: fields.map(() => null) } : {}
    const positions = Float64Array.from(part, (_, row) => start + row)
    store.write({ entityId: 1, rows: part.length, positions, fields, columns, ...pushedNulls })
  }
  const half = duplicates === 'replace' ? Math.floor(count / 2) : 0
  write(0, half)
  if (half > 0) store.freeze(half)
  write(half, count)
  const snapshots = new Snapshots({
    store,
    folder: { disk: nodeDisk, directory: deltas, newName: () => String(names++), filesMax: 3 },
    describe: () => {
      throw new Error('nothing is sealed')
    },
    sliceMs: 5,
    removalFailed: (path, error) => {
      throw new Error(path, { cause: error })
    },
  })
  return { entity: { ...plant, duplicates }, store, snapshots }
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
const instant = (draw: Draw): string =>
  new Date(startMs + draw(4 * 24) * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')

export function timeBound(draw: Draw): string {
  const at = instant(draw)
  return oneOf(draw, [
    `__time >= TIMESTAMP '${at}'`,
    `__time > '${at}'`,
    `CAST(__time AS TIMESTAMP) >= '${at}.000000'`,
    `'${at}' > __time`,
    `__time <= '${at.replace(' ', 'T')}Z'`,
    `__time BETWEEN '2026-01-02' AND '${at}'`,
    "TIME_IN_INTERVAL(__time, '2026-01-01T12:00/P2D')",
    `__time < TIMESTAMP '${at}' + INTERVAL '1' DAY`,
    "__time >= DATE '2026-01-02' - INTERVAL '90' MINUTE",
    `__time = '${at}'`,
    `__time > MILLIS_TO_TIMESTAMP(${startMs})`,
  ])
}

/** A number computed from a row. Numbers beyond 2^53 are not mixed with doubles, so that sums of doubles do not depend on the order. */
export function rowNumber(draw: Draw, type = oneOf(draw, ['double', 'long'] as const), depth = 0): string {
  const leaf = type === 'double' ? oneOf(draw, ['V', 'V', 'k', '"none"']) : oneOf(draw, ['l', 'k', 'k'])
  if (depth > 2 || draw(3) === 0) return leaf
  const one = (): string => rowNumber(draw, type, depth + 1)
  const constant = oneOf(draw, type === 'double' ? ['2', '1.5', '-3', '0.5', '7', '4.0'] : ['2', '-3', '7', '1'])
  switch (draw(10)) {
    case 0:
      return `(${leaf} * ${leaf})`
    case 1:
      return `(${one()} ${oneOf(draw, ['+', '-'])} ${one()})`
    case 2:
    case 3:
      return `(${one()} ${oneOf(draw, ['+', '-', '*'])} ${constant})`
    case 4:
      return `(${constant} ${oneOf(draw, ['+', '-', '*'])} ${one()})`
    case 5:
      return type === 'double' ? `(${one()} / ${oneOf(draw, ['2', '0.5', '-4.0'])})` : `(${one()} / ${constant})`
    case 6:
      return oneOf(draw, [
        ...[`-${leaf}`, 'MOD(k, 3)', 'CAST(V AS BIGINT)'],
        ...(type === 'double' ? ['CAST(k AS DOUBLE)', 'ROUND(V, 2)'] : []),
      ])
    case 7:
      return `${oneOf(draw, ['FLOOR', 'CEIL', 'ABS', 'ROUND'])}(${one()})`
    case 8:
      return oneOf(draw, [`COALESCE(${one()}, ${oneOf(draw, [constant, one()])})`, `NULLIF(${one()}, ${constant})`])
    default:
      return `CASE ${branches(draw, one)}${oneOf(draw, ['', ' ELSE NULL', ` ELSE ${one()}`, ' ELSE 0'])} END`
  }
}

/** A text that depends on the row's values. */
export function rowText(draw: Draw): string {
  const one = (): string => oneOf(draw, ["'high'", "'low'", "''", 's', 'site', 'NULL'])
  return draw(3) === 0
    ? `COALESCE(${oneOf(draw, ['s', 'site'])}, 'none')`
    : `CASE ${branches(draw, () => oneOf(draw, ["'x'", one()]))} ELSE ${oneOf(draw, ["'rest'", one()])} END`
}

function branches(draw: Draw, result: () => string): string {
  const parts = Array.from({ length: 1 + draw(3) }, () => `WHEN ${condition(draw, 2)} THEN ${result()}`)
  return draw(5) === 0 ? `k WHEN 1 THEN ${result()} WHEN -7 THEN ${result()}` : parts.join(' ')
}

export function condition(draw: Draw, depth = 0): string {
  const column = oneOf(draw, ['tag', 'site', 's', '"s"', 'plant.tag'])
  const number = depth < 2 && draw(5) === 0 ? rowNumber(draw, undefined, 1) : oneOf(draw, ['l', 'k', 'V', '"none"'])
  const constant = oneOf(draw, ['0', '1', '1.5', '-3', '12', '100', '-2.25', '1e2'])
  const operator = oneOf(draw, ['=', '<>', '<', '<=', '>', '>='])
  const negated = draw(3) === 0 ? 'NOT ' : ''
  switch (draw(depth < 2 ? 13 : 9)) {
    case 0:
      return `${column} ${operator} ${text(oneOf(draw, texts))}`
    case 1:
      return `${column} ${negated}IN (${text(oneOf(draw, texts))}, ${text(oneOf(draw, texts))}, 'x')`
    case 2:
      return `${oneOf(draw, [column, number])} IS ${negated}NULL`
    case 3:
      return `${number} ${operator} ${constant}`
    case 4:
      return `${constant} ${operator} ${number}`
    case 5:
      return `${number} ${negated}BETWEEN ${constant} AND 50`
    case 6:
      return `${column} ${negated}LIKE ${oneOf(draw, ["'a%'", "'%b'", "'_'", "'%'", "''", "'%_%'", "'a\\%' ESCAPE '\\'", "'o''%'"])}`
    case 7:
      return `${number} ${negated}IN (${constant}, 7, 1)`
    case 8:
      return oneOf(draw, ['1 = 1', 'TRUE', '1 <> 1', 'FALSE'])
    case 9:
      return `NOT (${condition(draw, depth + 1)})`
    case 10:
      return `((${condition(draw, depth + 1)}) IS ${negated}${oneOf(draw, ['TRUE', 'FALSE'])})`
    case 11:
      return `(${condition(draw, depth + 1)} AND ${condition(draw, depth + 1)})`
    default:
      return `(${condition(draw, depth + 1)} OR ${condition(draw, depth + 1)})`
  }
}

/** The time zone of a query. */
export const randomZone = (draw: Draw): Zone => {
  const names = ['UTC', 'UTC', 'Europe/Madrid', 'America/Los_Angeles', 'Asia/Kolkata', '+10:00']
  return Zone.find(oneOf(draw, names))!
}

const budget = { free: () => 2 ** 28 } as never
const settings = () => ({ sliceMs: 5, spoolDirectory: directory })
const limits = { resultRows: 100_000, resultBytes: 2 ** 26, buckets: 100_000 }

function bodyOf(answer: AnswerData): string {
  if (answer.body.kind !== 'memory') throw new Error('small answers stay in memory')
  return Buffer.concat(answer.body.chunks).toString()
}

/** The store's answer; null where the plan leaves the query to the SQL engine. */
export async function planned(
  asked: string,
  { entity, store }: World,
  format: AnswerFormat = 'json',
  zone = Zone.utc,
): Promise<string | null> {
  const plan = planSql({ zone }, translateSql(asked, [sqlTable(entity)], { zone }), entity, nowMs)
  const query = { language: 'sql', format, limits, budget } as const
  const answer = plan === null ? null : await runQuery(store, { ...query, plan }, settings(), signal)
  return answer === null ? null : bodyOf(answer)
}

export async function byEngine(
  asked: string,
  { entity, snapshots }: World,
  format: AnswerFormat = 'json',
  zone = Zone.utc,
): Promise<string> {
  const { entities, release } = await snapshots.take([1], signal)
  const run = async (wraps: boolean): Promise<string> => {
    const { text: plainText, wrappedText, columns } = translateSql(asked, [sqlTable(entity)], { zone })
    const tables = [engineTable(entity, entities[0]?.files ?? [])]
    const batches = engine.run(
      { text: wraps ? wrappedText : plainText, types: columns.map(({ type }) => type), tables },
      limits,
      signal,
    )
    const shown = columns.map(({ name, type }): EntityField => ({ name, type, role: 'dimension' }))
    return bodyOf(await storeRows({ fields: shown, batches }, { format, ...limits, budget }, settings(), signal))
  }
  try {
    return await run(false).catch((error: unknown) => {
      if (error instanceof LongOverflow) return run(true)
      throw error
    })
  } finally {
    release()
  }
}

/** Replaces negative zeros by 0.0: which of two equal zeros is the least is undefined. */
export const read = (body: string | null): string | null => body?.replace(/-0(?:\.0)?(?=[,}\r\n])/g, '0.0') ?? null

/** Whether two answers differ in the last digits of doubles at most. */
export function isSameAnswer(left: string | null, right: string | null): boolean {
  if (left === null || right === null || left === right) return left === right
  const [a, b] = [left, right].map((one) => one.split(numberForm)) as [string[], string[]]
  return a.length === b.length && a.every((part, at) => part === b[at] || (at % 2 === 1 && areNear(part, b[at]!)))
}

const numberForm = /(-?\d+\.\d+(?:[eE][-+]?\d+)?)/

function areNear(left: string, right: string): boolean {
  const [a, b] = [Number(left), Number(right)]
  return Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * 1e-12
}

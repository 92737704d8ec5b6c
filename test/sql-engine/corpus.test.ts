// Reported wrong results of DuckDB, queried on our tables in memory, in files and in both; the right answers are SQLite's. Run this on every upgrade of
// the engine, together with `npm run test:agreement`.
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeReports, type Reported, reports } from './corpus.ts'
import { fields, tables } from './tables.ts'
import { type Answer, asSet, type Planted, places, plain, Worlds } from './worlds.ts'

type Sqlite = InstanceType<typeof DatabaseSync>

let worlds: Worlds
let sqlite: Sqlite
beforeAll(async () => {
  worlds = await Worlds.open()
  sqlite = loaded()
})
afterAll(() => {
  worlds.close()
  sqlite.close()
})

const types = {
  timestamp: 'INTEGER',
  string: 'TEXT',
  long: 'INTEGER',
  double: 'REAL',
  boolean: 'INTEGER',
  json: 'TEXT',
}

function loaded(): Sqlite {
  const database = new DatabaseSync(':memory:')
  database.exec('PRAGMA case_sensitive_like = ON')
  for (const { entity, rows } of tables) {
    const columns = fields.map(({ name, type }) => `"${name === 'D' ? '__time' : name}" ${types[type]}`)
    database.exec(`CREATE TABLE "${entity.name}" (${columns.join(', ')})`)
    const insert = database.prepare(`INSERT INTO "${entity.name}" VALUES (${fields.map(() => '?').join(', ')})`)
    database.exec('BEGIN')
    for (const row of rows) insert.run(...row.map((value) => (typeof value === 'boolean' ? Number(value) : value)))
    database.exec('COMMIT')
  }
  return database
}

/** SQLite's answer, which the engine must also return without its optimizers. */
const right = new Map<string, Promise<readonly string[]>>()
const rightOf = (sql: string): Promise<readonly string[]> => {
  const known = right.get(sql) ?? agreed(sql)
  right.set(sql, known)
  return known
}
async function agreed(sql: string): Promise<readonly string[]> {
  const answer = asSet(bySqlite(sql))
  expect(asSet(await worlds.unoptimized(sql))).toEqual(answer)
  return answer
}

const bySqlite = (sql: string): Answer =>
  sqlite
    .prepare(sql)
    .all()
    .map((row: object) => Object.values(row).map(plain))

/** The number of runs: results that depend on the timing of threads are checked several times. */
const timesOf = ({ sql }: Reported): number => (/ LIMIT /.test(sql) ? 4 : 1)

describe.each(places)('rows stored %s', (place) => {
  test.each(reports.map((one) => [one.report, one.sql, one] as const))('%s: %s', async (_report, sql, one) => {
    const answer = await rightOf(sql)
    for (let time = 0; time < timesOf(one); time++) expect(asSet(await worlds.sql(sql, place))).toEqual(answer)
    const own = await worlds.byStore(sql, place)
    if (own !== null) expect(asSet(own)).toEqual(answer)
  })

  test.each(nativeReports.map((one) => [one.report, one.sql, one] as const))(
    'as a native query, %s: %s',
    async (_, sql, one) => {
      for (let time = 0; time < timesOf(one); time++)
        expect(await worlds.native(one.native, place)).toEqual(bySqlite(sql))
    },
  )
})

/** Each changes the SQL back to what it was before the fix. */
const planted: readonly (readonly [report: string, Planted])[] = [
  ['duckdb#25992', (text) => text.replaceAll(/(DISTINCT FROM .*?\)) IS TRUE\)/g, '$1)')],
  ['duckdb#23685', (text) => text.replaceAll('IS NULL) IS TRUE', 'IS NULL)')],
  ['duckdb#22963, duckdb#22924', (text) => text.replaceAll('AS MATERIALIZED', 'AS')],
  ['duckdb#24780, duckdb#24629', (text) => text.replaceAll(/PARTITION BY (r\d+\.c\d+)\)/g, 'PARTITION BY $1, $1)')],
]

test.each(planted)('the SQL from before the fix of %s is caught', { timeout: 60_000 }, async (report, fault) => {
  const wrong = async (): Promise<boolean> => {
    for (const one of reports.filter((other) => other.report === report)) {
      const answer = String(await rightOf(one.sql))
      for (const place of places) if (String(asSet(await worlds.sql(one.sql, place, fault))) !== answer) return true
    }
    return false
  }
  let isCaught = false
  for (let time = 0; time < 40 && !isCaught; time++) isCaught = await wrong()
  expect(isCaught).toBe(true)
})

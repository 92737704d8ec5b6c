// Compares SQL queries of single rows that the store answers from its own columns with the SQL engine's answers.
import { expect, test } from 'vitest'
import { type Draw, drawFrom, oneOf } from '../support/random-rows.ts'
import { rounds } from '../support/rounds.ts'
import {
  byEngine,
  condition,
  opensEngine,
  planned,
  randomZone,
  read,
  rowNumber,
  rowText,
  timeBound,
  type World,
  world,
} from './planned-worlds.ts'

opensEngine()

/** A value computed from a row. */
function worked(draw: Draw): string {
  const value = oneOf(draw, [
    rowNumber(draw),
    rowNumber(draw),
    rowText(draw),
    'b + 1',
    'COALESCE(b, k, 7)',
    "CASE WHEN b = 1 THEN 'on' ELSE 'off' END",
    'SQRT(ABS(V))',
    'SAFE_DIVIDE(V, k)',
    'SAFE_DIVIDE(l, k)',
    'V / NULLIF(k, 1)',
    'MOD(l, -7) + l % 5',
    "'text'",
    '7',
    'CASE WHEN site IS NULL THEN MILLIS_TO_TIMESTAMP(0) ELSE __time END',
    'COALESCE(__time, __time)',
  ])
  return `${value} AS w${draw(1000)}`
}

function query(draw: Draw): string {
  const items = Array.from({ length: 1 + draw(4) }, () =>
    draw(3) === 0
      ? worked(draw)
      : oneOf(draw, ['*', 'tag', 'plant.s', 'V', 'l AS x', 'b', '"none"', '__time', '__time AS t', 'k']),
  )
  const conditions = Array.from({ length: draw(3) }, () => (draw(2) === 0 ? timeBound(draw) : condition(draw)))
  const order = oneOf(draw, ['', ' ORDER BY __time', ' ORDER BY __time DESC', ' ORDER BY plant.__time ASC'])
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  const from = oneOf(draw, [
    'plant',
    'plant',
    '(SELECT * FROM plant) AS plant',
    '(SELECT __time, s AS tag, tag AS s, site, k AS l, k, -V AS V, b, "none" FROM plant WHERE k <> 2) AS plant',
  ])
  return `SELECT ${items.map((item, at) => (item.includes(' AS ') || item === '*' ? item : `${item} AS c${at}`)).join(', ')} FROM ${from}${where}${order}`
}

const lines = (text: string | null): string[] => (read(text) ?? '').split('\n')

test('random queries return the same rows as the SQL engine', async () => {
  let answered = 0
  const seeds = rounds(10)
  for (let seed = 0; seed < seeds; seed++) {
    const draw = drawFrom(seed)
    const rows = world(draw, seed === 0 ? 0 : undefined)
    for (let question = 0; question < 20; question++) {
      const one = query(draw)
      const zone = randomZone(draw)
      const answer = await planned(one, rows, 'csv', zone).catch(() => null)
      if (answer === null) continue
      answered++
      // Rows with equal times come in any order, and without ORDER BY all rows do.
      expect({ seed, one, answer: lines(answer).toSorted() }).toEqual({
        seed,
        one,
        answer: lines(await byEngine(one, rows, 'csv', zone)).toSorted(),
      })
    }
  }
  expect(answered).toBeGreaterThan(12 * seeds)
})

/** The rows of a world as lines, ordered by time and all their columns. */
async function ordered(rows: World, where: string, order: string): Promise<string[]> {
  const by =
    '__time' +
    order +
    ', tag NULLS FIRST, site NULLS FIRST, s NULLS FIRST, l NULLS FIRST, k NULLS FIRST, V NULLS FIRST, b NULLS FIRST'
  return lines(await byEngine(`SELECT * FROM (SELECT * FROM plant ${where}) ORDER BY ${by}`, rows, 'csv')).slice(1)
}

test('a limit returns the first rows by time', async () => {
  for (let seed = 0; seed < rounds(30); seed++) {
    const draw = drawFrom(seed)
    const rows = world(draw)
    const order = oneOf(draw, ['', ' DESC'])
    const where = draw(2) === 0 ? '' : `WHERE ${condition(draw)}`
    const [limit, offset] = [1 + draw(20), draw(3) === 0 ? draw(5) : 0]
    const asked = `SELECT * FROM plant ${where} ORDER BY __time${order} LIMIT ${limit} OFFSET ${offset}`
    const answer = await planned(asked, rows, 'csv')
    if (answer === null) continue
    const expected = (await ordered(rows, where, order)).filter((line) => line !== '').slice(offset, offset + limit)
    const found = lines(answer)
      .slice(1)
      .filter((line) => line !== '')
    expect({ asked, found }).toEqual({ asked, found: expected })
  }
})

test.each([
  // The engine also divides in rows that a limit excludes.
  'SELECT l / k AS x FROM plant LIMIT 1',
  'SELECT MOD(k, k - 1) AS x FROM plant LIMIT 1',
  'SELECT V / 0 AS x FROM plant',
  'SELECT V % 2 AS x FROM plant',
  'SELECT V * 1e300 * 1e300 AS x FROM plant',
  'SELECT CAST(V AS VARCHAR) AS x FROM plant',
  'SELECT __time FROM plant WHERE V * l > 2',
  'SELECT tag FROM plant ORDER BY tag',
  'SELECT tag FROM plant ORDER BY __time, tag',
  'SELECT tag AS __time FROM plant ORDER BY __time',
  'SELECT DISTINCT b FROM plant',
  'SELECT tag FROM plant LIMIT 0',
  'SELECT tag FROM plant HAVING 1 = 1',
  'SELECT a.tag FROM plant a JOIN plant b ON a.tag = b.tag',
])('%s is left to the SQL engine', async (asked) => {
  expect(await planned(asked, world(drawFrom(2))).catch(() => null)).toBeNull()
})

test('a query with too many columns for its rows is left to the SQL engine', async () => {
  const asked = `SELECT ${Array.from({ length: 2400 }, (_, at) => `V y${at.toString(36)}`).join()} FROM plant LIMIT 49000`
  expect(await planned(asked, world(drawFrom(2), 500))).toBeNull()
  expect(await planned(asked, world(drawFrom(2), 100))).not.toBeNull()
})

test('many rows with many columns to compute are the same as in the SQL engine', async () => {
  const rows = world(drawFrom(5), 2500)
  const value = `CASE ${Array.from({ length: 30 }, (_, at) => `WHEN V > ${100 - at} THEN V * ${at}`).join(' ')} END`
  const asked = `SELECT __time, tag, k + 1 AS more, ${value} AS v FROM plant`
  const [answer, expected] = [await planned(asked, rows, 'csv'), await byEngine(asked, rows, 'csv')]
  expect(lines(answer)).toHaveLength(2502)
  expect(lines(answer).toSorted()).toEqual(lines(expected).toSorted())
})

test.each([
  "SELECT __time AS \"time\", tag AS metric, V AS \"value\" FROM plant WHERE __time >= '2026-01-01' AND tag IN ('a', 'b') ORDER BY 1",
  'SELECT * FROM plant ORDER BY __time DESC LIMIT 100',
  'SELECT t.tag, t.V FROM plant t LIMIT 5',
  'SELECT __time, V FROM plant WHERE V * 2 > 1 AND 3 - V < 2.5 ORDER BY __time',
  "SELECT __time, tag, ROUND(V * 1.8 + 32, 1) AS f FROM plant WHERE tag IN ('a', 'b') ORDER BY __time DESC LIMIT 1000",
  "SELECT __time AS t, CASE WHEN V > 50 THEN 'high' ELSE 'low' END AS state, 'a' AS series FROM plant ORDER BY t",
  'SELECT * FROM (SELECT * FROM plant) AS virtual_table LIMIT 100',
  "SELECT * FROM (SELECT __time AS t, V * 2 AS v, tag FROM plant WHERE k = 1) x WHERE t > '2026-01-01' ORDER BY t DESC LIMIT 5",
  'SELECT __time, COALESCE(V, 0) AS v, CAST(V AS BIGINT) AS w, k / 2 AS half FROM plant ORDER BY __time',
])('a dashboard panel is answered by the store: %s', async (asked) => {
  expect(await planned(asked, world(drawFrom(5)))).not.toBeNull()
})

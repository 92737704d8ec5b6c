// SQL's functions of values over time, compared with exact fractions.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { type Value, valueAt } from '../../src/model/column.ts'
import { DuckdbEngine } from '../../src/sql-engine/duckdb/duckdb-engine.ts'
import { Fraction } from '../support/fraction.ts'
import { type Draw, drawFrom } from '../support/random-rows.ts'
import { rounds } from '../support/rounds.ts'

const directory = mkdtempSync(join(tmpdir(), 'tidemark-sql-over-time-'))
let engine: DuckdbEngine

beforeAll(async () => {
  const memory = { memoryBytes: 2 ** 28, textBytes: 2 ** 26, temporaryBytes: 2 ** 28, threads: 1 }
  const temporaryDirectory = join(directory, 'temporary')
  engine = await DuckdbEngine.open({ directories: [directory], temporaryDirectory, ...memory })
})
afterAll(() => {
  engine.close()
  rmSync(directory, { recursive: true })
})

async function ask(text: string): Promise<Value[][]> {
  const { text: engineText, columns } = translateSql(text, [])
  const rows: Value[][] = []
  const query = { text: engineText, types: columns.map(({ type }) => type), tables: [] }
  for await (const batch of engine.run(query, { resultRows: 10_000 }, new AbortController().signal)) {
    for (let row = 0; row < batch.rows; row += 1) rows.push(batch.columns.map((column) => valueAt(column, row)))
  }
  return rows
}

/** The results for one group of items (minute, double, long). */
const ofGroup = async (expressions: string, items: string): Promise<Value[]> => {
  const rows = `(SELECT TIMESTAMPADD(MINUTE, m, TIMESTAMP '2026-01-01') AS t, v, n FROM (VALUES ${items}) AS t (m, v, n))`
  return (await ask(`SELECT ${expressions} FROM ${rows} AS r`))[0]!
}

const tank = '(0, 20.0, 90), (30, 40.0, 100), (180, 0.0, 140), (210, NULL, 20), (270, NULL, 50)'

test.each<readonly [expression: string, value: Value]>([
  // The mean is 30 while the value rises to 40, then 20 while it falls to 0.
  ['TIME_WEIGHTED_AVG(v, t)', (30 * 0.5 + 20 * 2.5) / 3],
  ["TIME_WEIGHTED_AVG(v, t, 'step')", (20 * 0.5 + 40 * 2.5) / 3],
  ["TIME_WEIGHTED_AVG(v, t, 'line')", (30 * 0.5 + 20 * 2.5) / 3],
  ['TIME_WEIGHTED_AVG(v, t, NULL)', (30 * 0.5 + 20 * 2.5) / 3],
  ['TIME_WEIGHTED_AVG(v, t) FILTER (WHERE v > 10)', 30],
  // Whole numbers are steps, and a null is not an item.
  ['TIME_WEIGHTED_AVG(n, t)', (90 * 0.5 + 100 * 2.5 + 140 * 0.5 + 20) / 4.5],
  ["TIME_WEIGHTED_AVG(n, t, 'line')", (95 * 0.5 + 120 * 2.5 + 80 * 0.5 + 35) / 4.5],
  ['INTEGRAL(v, t)', 30 * 0.5 + 20 * 2.5],
  ["INTEGRAL(v, t, 'step')", 20 * 0.5 + 40 * 2.5],
  ['COUNTER_RISE(n, t)', 10 + 40 + 20 + 30],
  ["COUNTER_RISE(n, t, 'skip')", 10 + 40 + 30],
  ['COUNTER_RISE(v, t)', 20],
  ['COUNTER_RISE(v - 10, t)', 20],
  // A single item has no duration.
  ['TIME_WEIGHTED_AVG(v, t) FILTER (WHERE n = 90)', null],
  ['INTEGRAL(v, t) FILTER (WHERE n = 90)', null],
  ['COUNTER_RISE(n, t) FILTER (WHERE n = 90)', null],
  ['INTEGRAL(v, t) FILTER (WHERE n > 1000)', null],
  ['TIME_WEIGHTED_AVG(v, NULLIF(t, t))', null],
  // Over another time than the rows' own, and of a computed value.
  ["TIME_WEIGHTED_AVG(CASE WHEN v > 10 THEN 1 ELSE 0 END, TIME_SHIFT(t, 'P1D', 1))", 3 / 4.5],
  // Overflows a double in between, or in the result.
  ['TIME_WEIGHTED_AVG(1.7e308, t)', 1.7e308],
  ['INTEGRAL(v * 1e307, t)', null],
  ['COUNTER_RISE(v * 4e306, t) / 4e306', 20],
  ['TIME_WEIGHTED_AVG(v * 1e-300, t) * 1e300', (30 * 0.5 + 20 * 2.5) / 3],
])('%s', async (expression, value) => {
  const [found] = await ofGroup(`${expression} AS x`, tank)
  expect(found).toEqual(typeof value === 'number' ? expect.closeTo(value, value > 1e300 ? -295 : 12) : value)
})

test('COUNTER_RISE uses all digits of longs', async () => {
  const items = '(0, 0, 9007199254740993), (1, 0, 9007199254740996), (2, 0, 9007199254740995)'
  const text = "COUNTER_RISE(n, t, 'skip') AS a, COUNTER_RISE(n, t) AS b"
  expect(await ofGroup(text, items)).toEqual([3, 3 + Number(9007199254740995n)])
})

describe('invalid arguments are refused', () => {
  test.each([
    [
      "TIME_WEIGHTED_AVG(v, t, 'stairs')",
      "the third operand of TIME_WEIGHTED_AVG must be 'line' or 'step', not 'stairs'",
    ],
    ["COUNTER_RISE(n, t, 'step')", "the third operand of COUNTER_RISE must be 'zero' or 'skip', not 'step'"],
    ['INTEGRAL(v)', 'INTEGRAL takes 2 to 3 operands, not 1'],
    ['INTEGRAL(v, n)', 'MILLIS_TO_TIMESTAMP'],
    ['INTEGRAL(t, t)', 'a number is expected'],
    ['INTEGRAL(DISTINCT v, t)', 'does not accept DISTINCT'],
    ['INTEGRAL(v, t) OVER (ORDER BY t)', 'is not a window function'],
  ])('%s', (expression, message) => {
    const rows = "(VALUES (TIMESTAMP '2026-01-01', 1.5, 1)) AS t (t, v, n)"
    expect(() => translateSql(`SELECT ${expression} AS x FROM ${rows}`, [])).toThrow(message)
  })
})

interface Item {
  readonly group: number
  readonly ms: number
  readonly value: number
}

/** Rows in random order. Rows with equal date and group have equal values, because the rows of a subquery have no order. */
function randomItems(draw: Draw): Item[] {
  const known = new Map<string, Item>()
  return Array.from({ length: draw(40) + 1 }, () => {
    const [group, ms] = [draw(4), draw(30) * 10 ** draw(8)]
    const item = { group, ms, value: (draw(2001) - 1000) / 2 ** draw(12) }
    const key = `${group} ${ms}`
    const own = known.get(key) ?? item
    known.set(key, own)
    return own
  })
}

/** Calculated with fractions: the mean and the integral as a line and as a step, and the rise by both rules. */
function expected(items: readonly Item[]): readonly (number | null)[] {
  const inOrder = [...new Map(items.map((item) => [item.ms, item])).values()].sort((a, b) => a.ms - b.ms)
  const [first, last] = [inOrder[0]!, inOrder.at(-1)!]
  if (first === last) return Array.from({ length: 6 }, () => null)
  const sums = Array.from({ length: 4 }, () => Fraction.zero)
  for (const [at, from] of inOrder.slice(0, -1).entries()) {
    const to = inOrder[at + 1]!
    const lengthMs = Fraction.of(to.ms - from.ms)
    const [low, high] = [Fraction.of(from.value), Fraction.of(to.value)]
    const fell = high.isLess(low)
    const parts = [
      low.plus(high).over(Fraction.of(2)).times(lengthMs),
      low.times(lengthMs),
      fell ? (to.value > 0 ? high : Fraction.zero) : high.minus(low),
      fell ? Fraction.zero : high.minus(low),
    ]
    for (const [index, part] of parts.entries()) sums[index] = sums[index]!.plus(part)
  }
  const [line, step, zero, skip] = sums as [Fraction, Fraction, Fraction, Fraction]
  const [allMs, hourMs] = [Fraction.of(last.ms - first.ms), Fraction.of(3_600_000)]
  return [line.over(allMs), step.over(allMs), line.over(hourMs), step.over(hourMs), zero, skip].map(
    ({ value }) => value,
  )
}

test('random groups match exact fractions, whatever the order of their rows', async () => {
  for (let round = 0; round < rounds(50); round += 1) {
    const items = randomItems(drawFrom(round))
    const lines = items.map(({ group, ms, value }) => `(${group}, ${ms}, CAST(${value.toExponential()} AS DOUBLE))`)
    const rows = await ask(`
      SELECT g, TIME_WEIGHTED_AVG(v, t) AS a, TIME_WEIGHTED_AVG(v, t, 'step') AS b, INTEGRAL(v, t) AS c,
        INTEGRAL(v, t, 'step') AS d, COUNTER_RISE(v, t) AS e, COUNTER_RISE(v, t, 'skip') AS f
      FROM (SELECT g, v, MILLIS_TO_TIMESTAMP(ms) AS t FROM (VALUES ${lines.join()}) AS r (g, ms, v)) AS s
      GROUP BY g ORDER BY g`)
    const groups = [...new Set(items.map(({ group }) => group))].sort()
    expect(rows.map(([group]) => group)).toEqual(groups)
    for (const [group, ...values] of rows) {
      const wanted = expected(items.filter((item) => item.group === group))
      for (const [at, value] of values.entries()) {
        const exact = wanted[at]!
        if (exact === null) expect(value, `round ${round}`).toBeNull()
        else
          expect(Math.abs(Number(value) - exact), `round ${round}`).toBeLessThanOrEqual(Math.abs(exact) * 1e-13 + 1e-12)
      }
    }
  }
})

// Runs the same random queries on one machine and on a real Druid behind a cluster.
// TIDEMARK_AGREEMENT_QUERIES is the number of queries, TIDEMARK_TEST_SEED their seed, TIDEMARK_AGREEMENT_FIRST the number of the first.
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askBoth, type Made, newTally, reportOf } from './agreement.ts'
import { nativeOf, nativeRules } from './native-queries.ts'
import { sqlOf, sqlRules } from './sql-queries.ts'
import { type BothEngines, bothEngines } from './world.ts'

const count = Number(process.env['TIDEMARK_AGREEMENT_QUERIES'] ?? 300)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)
const first = Number(process.env['TIDEMARK_AGREEMENT_FIRST'] ?? 0)
const recent = Math.min(5000, count)
const atOnce = 4

let engines: BothEngines
beforeAll(async () => {
  engines = await bothEngines()
})
afterAll(() => engines?.close())

test(`${count} random queries agree with Druid, except for known differences`, {
  timeout: 120_000 + count * 2000,
}, async () => {
  const tally = newTally()
  let next = first
  const worker = async (): Promise<void> => {
    while (next < first + count) {
      const number = next++
      await askBoth(engines, queryOf(number), number, tally)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const report = reportOf(
    tally,
    recent,
    [...sqlRules, ...nativeRules].map(({ kind, rule }) => `${kind}: ${rule}`),
  )
  const file = process.env['TIDEMARK_AGREEMENT_REPORT']
  if (file !== undefined) writeFileSync(file, report)
  console.log(report)
  expect([...tally.unknown.keys()]).toEqual([])
  expect((tally.answered / tally.asked) * 100).toBeGreaterThan(70)
})

/** Alternates between SQL and native queries. */
function queryOf(number: number): Made {
  const place = Math.floor(number / 2)
  return number % 2 === 0 ? { kind: 'sql', ...sqlOf(place, seed) } : { kind: 'native', ...nativeOf(place, seed) }
}

// A hundred thousand queries at random, of SQL: none ends in a failure of the service.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzedNames, fuzzedSql } from '../druid-sql/fuzzed-queries.ts'
import { askFuzzed, type FuzzedWorld, fuzzedWorld } from '../support/fuzzed-world.ts'

let world: FuzzedWorld
beforeAll(async () => {
  world = await fuzzedWorld()
})
afterAll(() => world?.service.close())

const count = Number(process.env['TIDEMARK_FUZZ_QUERIES'] ?? 100_000)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)

test('SQL', async () => {
  const left = new Set(fuzzedNames)
  const sqlOf = (number: number) => {
    const text = fuzzedSql(number)
    for (const [name] of text.matchAll(/\w+(?=\()/g)) left.delete(name)
    return { path: '/consumer/data/sql-query', body: JSON.stringify({ sql_query: text }) }
  }
  const faults = await askFuzzed(world, sqlOf, { first: seed * 1_000_000, count, atOnce: 4 })
  // What the engine said that no words of ours are known for, to be put into the catalogue.
  const words = new Map<string, number>()
  for (const one of world.told) words.set(one.slice(0, 160), (words.get(one.slice(0, 160)) ?? 0) + 1)
  console.log([...world.statuses].join(' '))
  console.log([...words].map(([word, times]) => `${times} ${word}`).join('\n'))
  console.log(world.unexplained.slice(0, 40).join('\n'))
  expect(faults).toEqual([])
  // Some are written without parentheses, or by a form of their own.
  expect([...left].filter((name) => !/^(?:CURRENT_\w+|LOCALTIMESTAMP)$/.test(name))).toEqual([])
})

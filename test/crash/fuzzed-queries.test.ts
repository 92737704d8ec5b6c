// A hundred thousand random queries in each language: none causes a failure of the service, no response contains engine messages, and other callers are
// served meanwhile. TIDEMARK_FUZZ_QUERIES sets their number; their numbers start at TIDEMARK_TEST_SEED times a million.
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { fuzzedNative } from '../druid-native/fuzzed-native.ts'
import { fuzzedSql } from '../druid-sql/fuzzed-queries.ts'
import { testProgram } from '../support/compiled.ts'
import { type Fuzzed, type FuzzedWorld, fuzzedWorld, runFuzzed } from '../support/fuzzed-world.ts'

const count = Number(process.env['TIDEMARK_FUZZ_QUERIES'] ?? 100_000)
const first = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1) * 1_000_000
const longMs = 8 * 60 * 60_000

let world: FuzzedWorld | null = null
afterEach(async () => {
  await world?.service.close()
  world = null
})

const sqlOf = (number: number): Fuzzed => ({
  path: '/consumer/data/sql-query',
  body: JSON.stringify({ sql_query: fuzzedSql(number) }),
})
const nativeOf = (number: number): Fuzzed => ({
  path: '/consumer/data/druid-native-query',
  body: fuzzedNative(number),
})
const languages = { SQL: sqlOf, 'native queries': nativeOf }
const languageNames = Object.keys(languages) as readonly (keyof typeof languages)[]

test.each(languageNames)(
  `${count} random queries cause no failure of the service: %s`,
  async (name) => {
    world = await fuzzedWorld()
    const faults = await runFuzzed(world, languages[name], { first, count, atOnce: 4 })
    report(name, world)
    expect(faults).toEqual([])
    // If no query succeeds, none reached the engine.
    expect(world.statuses.get(200)).toBeGreaterThan(count / 10)
  },
  longMs,
)

/** Engine messages without a wording of ours, to be added to the catalogue. */
function report(name: string, { statuses, reported, unexplained }: FuzzedWorld): void {
  const words = new Map<string, number>()
  for (const one of reported) words.set(one.slice(0, 200), (words.get(one.slice(0, 200)) ?? 0) + 1)
  const lines = [...words].map(([word, times]) => `${times} ${word}`)
  console.log([name, [...statuses].join(' '), ...lines, ...unexplained.slice(0, 40)].join('\n'))
}

/** Faults planted in the engine's process, with the report that each must cause. */
const canaries = [
  ['leaks-engine-words', /words of the engine/],
  ['fails-on-refusal', /^number \d+: 500 /],
  ['ends-by-query', /(ends|crashes) the (SQL )?engine/],
  ['refuses-neighbours', /a neighbour was told/],
] as const

test.each(canaries.flatMap(([planted, form]) => languageNames.map((name) => [planted, name, form] as const)))(
  'canary: the planted fault %s is detected, by %s',
  async (planted, name, form) => {
    world = await fuzzedWorld({}, { sqlEntryUrl: pathToFileURL(testProgram(`crash/${planted}`)) })
    const faults = await runFuzzed(world, languages[name], { first, count: 1000, atOnce: 4, faultsMax: 1 })
    expect(faults[0]).toMatch(form)
  },
)

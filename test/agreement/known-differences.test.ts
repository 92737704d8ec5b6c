import { expect, test } from 'vitest'
import { askBoth, type Made, newTally, type Tally } from './agreement.ts'
import { knownDifferences } from './known-differences.ts'
import type { BothEngines } from './world.ts'

const native =
  '{"query_type":"groupBy","query_data":{"queryType":"groupBy","limitSpec":{"type":"default","limit":4,"columns":["d0"]}}}'
const groups = (value: number) => ({
  status: 200,
  text: `[{"timestamp":"2026-01-01T00:00:00.000Z","event":{"d0":1,"a0":${value}}}]`,
})
const refused = { status: 400, text: '{"detail":"why"}' }
const reasonOf = (embedded: typeof refused, druid: typeof refused, difference: string): string | undefined =>
  knownDifferences.find((entry) =>
    entry.matches({ query: { kind: 'native', text: native }, embedded, druid, difference }),
  )?.reason

test('a refusal in words of no entry is a new kind, whoever refuses', () => {
  expect(reasonOf(groups(1), refused, 'status 200 and 400')).toBeUndefined()
  expect(reasonOf(refused, groups(1), 'status 400 and 200')).toBeUndefined()
})

test('a format that Druid gives in place of the text is known for FLOOR of a whole number alone', () => {
  const of = (text: string): string | undefined => {
    const [embedded, druid] = ['[{"k":"a:2"}]', '[{"k":"%s:%d; a; 2.0"}]'].map((answer) => ({
      status: 200,
      text: answer,
    }))
    const found = {
      query: { kind: 'sql' as const, text },
      embedded: embedded!,
      druid: druid!,
      difference: 'order by k',
    }
    return knownDifferences.find((entry) => entry.matches(found))?.reason
  }
  expect(of("SELECT STRING_FORMAT('%s:%d', s, FLOOR(n)) AS k FROM fuzz")).toContain('FLOOR and CEIL of a whole number')
  expect(of("SELECT STRING_FORMAT('%s:%d', s, n) AS k FROM fuzz")).toBeUndefined()
})

test('a position is left out with all that its operands hold', () => {
  const entry = knownDifferences.find(({ reason }) => reason.startsWith('STRPOS counts characters'))
  expect(entry?.without?.("SELECT POSITION('(' IN LEFT(s, 2) FROM 1) + STRPOS(s, ')'), LEFT(s, 1) FROM fuzz")).toBe(
    'SELECT 1 + 1, LEFT(s, 1) FROM fuzz',
  )
})

test('groups that tie at a limit are known', () => {
  expect(reasonOf(groups(1), groups(2), '[0].event.a0: number and number')).toBe(
    'Druid cuts any of the groups that tie at a limit',
  )
})

const madeOf = (text: string): Made => ({
  kind: 'sql',
  piece: { kind: 'query', rule: text, parts: [text] },
  plainest: () => [],
  alone: () => [],
})

const answerOf = (value: number) => ({ status: 200, text: JSON.stringify([{ c0: value }]) })

/** Asks engines that differ over texts that hold one of the words. */
async function talliedOf(text: string, differOver: RegExp): Promise<Tally> {
  const engines: BothEngines = {
    embedded: async () => answerOf(1),
    druid: async (query) => answerOf(differOver.test(query.text) ? 2 : 1),
    close: async () => undefined,
  }
  const tally = newTally()
  await askBoth(engines, madeOf(text), 0, tally)
  return tally
}

test.each([
  ['SELECT SQRT(d) AS c0 FROM fuzz', /SQRT/],
  ['SELECT d / 0 AS c0 FROM fuzz', / \/ /],
  ['SELECT BIT_AND(n) AS c0 FROM fuzz', /BIT_AND/],
  ['SELECT V AS c0 FROM fuzz', /SELECT V AS/],
  ['SELECT COUNT(*) AS c0 FROM fuzz AS x FULL JOIN y ON x.T = y.T', /FULL/],
])('what a reason speaks of sets the answers apart, or it is none: %s', async (text, word) => {
  expect((await talliedOf(text, word)).known.size).toBe(1)
  expect((await talliedOf(text, /fuzz/)).unknown.size).toBe(1)
})

test('doubles are known for their last digits, never for others', () => {
  const of = (druid: string): string | undefined =>
    knownDifferences.find((entry) =>
      entry.matches({
        query: { kind: 'sql', text: 'SELECT EXP(d) AS c0 FROM fuzz' },
        embedded: { status: 200, text: '[{"c0":"2.718281828459045"}]' },
        druid: { status: 200, text: `[{"c0":"${druid}"}]` },
        difference: 'c0: string and string',
      }),
    )?.reason
  expect(of('2.7182818284590446')).toBe('functions of doubles end in other digits')
  expect(of('2.7182')).toBeUndefined()
})

test('a call of constants is known for one that Druid does not take for null, only where it is null here', async () => {
  const text = "SELECT COUNT(*) AS c0 FROM fuzz WHERE n IS NOT DISTINCT FROM PARSE_LONG('a')"
  const isCalled = /PARSE_LONG/
  const engines = (ofCall: number): BothEngines => ({
    embedded: async (query) => answerOf(isCalled.test(query.text) ? ofCall : 7),
    druid: async (query) => answerOf(isCalled.test(query.text) ? 0 : 7),
    close: async () => undefined,
  })
  const tallied = async (ofCall: number): Promise<Tally> => {
    const tally = newTally()
    await askBoth(engines(ofCall), madeOf(text), 0, tally)
    return tally
  }
  expect((await tallied(7)).known.size).toBe(1)
  expect((await tallied(3)).unknown.size).toBe(1)
})

import { expect, test } from 'vitest'
import { knownDifferences } from './known-differences.ts'

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

test('groups that tie at a limit are known', () => {
  expect(reasonOf(groups(1), groups(2), '[0].event.a0: number and number')).toBe(
    'Druid cuts any of the groups that tie at a limit',
  )
})

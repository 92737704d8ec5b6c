import { expect, test } from 'vitest'
import { knownDifferences } from './known-differences.ts'
import { answer, reasonsOf, refusal, talliedOf } from './reasons/asked-of-two.ts'
import { nativeAnsweredCases, nativeCases } from './reasons/native-cases.ts'
import { refusedHereCases, refusedThereCases, tooLargeThereCases } from './reasons/refused-cases.ts'
import { sqlAnsweredCases } from './reasons/sql-answered-cases.ts'
import { sqlConditionCases } from './reasons/sql-condition-cases.ts'
import { sqlValueCases } from './reasons/sql-value-cases.ts'
import type { Query } from './world.ts'

const sqlCases = [...sqlValueCases, ...sqlConditionCases]

const ofKind = <Case extends readonly [string, string, ...unknown[]]>(kind: Query['kind'], cases: readonly Case[]) =>
  cases.map((one) => ({ kind, text: one[1], one }))

test('a refusal with an unknown message is a new kind of difference, whichever side refuses', () => {
  const query: Query = { kind: 'sql', text: 'SELECT COUNT(*) AS c0 FROM fuzz' }
  expect(reasonsOf(query, answer('[{"c0":1}]'), refusal('why'))).toEqual([])
  expect(reasonsOf(query, refusal('why'), answer('[{"c0":1}]'))).toEqual([])
})

test.each([...ofKind('sql', sqlCases), ...ofKind('native', nativeCases)])(
  'a reason applies only if its own construct makes the answers differ: $text',
  async ({ kind, one: [reason, text, word, fault, [ours, theirs] = ['[{"c0":1}]', '[{"c0":2}]']] }) => {
    const askedOver = async (differing: RegExp) =>
      talliedOf(
        { kind, text },
        () => answer(ours),
        (asked) => answer(differing.test(asked) ? theirs : ours),
      )
    expect([...(await askedOver(word)).known.keys()]).toEqual([reason])
    expect((await askedOver(fault)).unknown.size).toBe(1)
  },
)

test.each([...ofKind('sql', sqlAnsweredCases), ...ofKind('native', nativeAnsweredCases)])(
  'a reason that compares the answers accepts its own difference, and no other: $text',
  ({ kind, one: [reason, text, ours, theirs, other] }) => {
    const query = { kind, text }
    expect(reasonsOf(query, answer(ours), answer(theirs))).toContain(reason)
    expect(reasonsOf(query, answer(ours), answer(other))).not.toContain(reason)
  },
)

test.each([
  ...refusedThereCases.map((one) => ({ one, here: answer('[]'), there: refusal(one[2]) })),
  ...tooLargeThereCases.map((one) => ({ one, here: answer('[]'), there: refusal(one[2], 413) })),
  ...refusedHereCases.map((one) => ({ one, here: refusal(one[2]), there: answer('[]') })),
])(
  'a refusal is recognized by its message and its query: $one.0',
  ({ one: [reason, text, , otherText], here, there }) => {
    expect(reasonsOf({ kind: 'sql', text }, here, there)).toContain(reason)
    expect(reasonsOf({ kind: 'sql', text }, there, here)).not.toContain(reason)
    if (otherText !== undefined) expect(reasonsOf({ kind: 'sql', text: otherText }, here, there)).not.toContain(reason)
  },
)

test('a difference explained by a division is checked by removing the quotient from the query', async () => {
  const text = "SELECT COUNT(*) AS c0 FROM fuzz WHERE T = 't1' AND n / l > 1"
  const refused = refusal('The query cannot be run: a number is divided by zero')
  const askedOver = async (fault: RegExp) =>
    talliedOf(
      { kind: 'sql', text },
      (asked) => (/ \/ /.test(asked) ? refused : answer('[{"c0":1}]')),
      (asked) => answer(fault.test(asked) ? '[{"c0":2}]' : '[{"c0":1}]'),
    )
  expect((await askedOver(/ \/ /)).known.size).toBe(1)
  expect((await askedOver(/WHERE/)).unknown.size).toBe(1)
})

test('a constant call that Druid does not treat as null is a known difference only if it is null here', async () => {
  const text = "SELECT COUNT(*) AS c0 FROM fuzz WHERE n IS NOT DISTINCT FROM PARSE_LONG('a')"
  const askedWhere = async (ofCall: number) =>
    talliedOf(
      { kind: 'sql', text },
      (asked) => answer(`[{"c0":${/PARSE_LONG/.test(asked) ? ofCall : 7}}]`),
      (asked) => answer(`[{"c0":${/PARSE_LONG/.test(asked) ? 0 : 7}}]`),
    )
  expect((await askedWhere(7)).known.size).toBe(1)
  expect((await askedWhere(3)).unknown.size).toBe(1)
})

test('every reason has a test case', () => {
  const cases = [
    ...[sqlCases, nativeCases, sqlAnsweredCases, nativeAnsweredCases],
    ...[refusedThereCases, tooLargeThereCases, refusedHereCases],
  ]
  const tested = new Set(cases.flat().map(([reason]) => reason))
  expect(knownDifferences.map(({ reason }) => reason).filter((reason) => !tested.has(reason))).toEqual([])
})

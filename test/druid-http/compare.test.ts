import { describe, expect, test } from 'vitest'
import { type Answer, unexplained } from './compare.ts'
import { differences as d } from './differences.ts'

const answer = (text: string, { status = 200, headers = {} }: { status?: number; headers?: object } = {}): Answer => ({
  status,
  headers: new Headers({ 'content-type': 'application/json', ...headers }),
  text,
  cancelStatus: null,
})
const id = (digit: string) => `${digit.repeat(8)}-0000-0000-0000-${digit.repeat(12)}`

describe('responses are equal with', () => {
  test.each<[string, Answer, Answer]>([
    [
      'different generated ids',
      answer('[]', { headers: { 'x-druid-query-id': id('a') } }),
      answer('[]', { headers: { 'x-druid-query-id': id('b') } }),
    ],
    [
      'different error messages',
      answer('{"error":"e","errorMessage":"ours"}', { status: 400 }),
      answer('{"error":"e","errorMessage":"theirs"}', { status: 400 }),
    ],
    ['different irrelevant headers', answer('[]', { headers: { vary: 'x' } }), answer('[]')],
  ])('%s', (_name, ours, theirs) => {
    expect(unexplained(ours, theirs, [])).toBeNull()
  })
})

describe('responses are different with another', () => {
  test.each<[string, Answer, Answer]>([
    ['status', answer('[]'), answer('[]', { status: 201 })],
    ['headers', answer('[]', { headers: { 'x-druid-query-id': id('a') } }), answer('[]')],
    [
      'headers',
      answer('[]', { headers: { 'x-druid-query-id': 'q' } }),
      answer('[]', { headers: { 'x-druid-query-id': 'p' } }),
    ],
    ['body', answer('[]'), answer('[]\n')],
    [
      'body',
      answer('{"error":"e","category":"A"}', { status: 400 }),
      answer('{"error":"e","category":"B"}', { status: 400 }),
    ],
  ])('%s', (part, ours, theirs) => {
    expect(unexplained(ours, theirs, [])).toContain(`${part} differ`)
  })
})

describe('a known difference', () => {
  const [long, integer] = [answer('[["BIGINT"],[1]]'), answer('[["INTEGER"],[1]]')]

  test('explains its own difference', () => {
    expect(unexplained(long, integer, [d.sqlTypes])).toBeNull()
  })
  test('explains no other difference in the body', () => {
    expect(unexplained(long, answer('[["INTEGER"],[2]]'), [d.sqlTypes])).toContain('body differ')
  })
  test('explains no difference in the status', () => {
    expect(unexplained(long, answer('[["INTEGER"],[1]]', { status: 201 }), [d.sqlTypes])).toContain('status differ')
  })
  test('together with another one explains both', () => {
    const theirs = answer('[["INTEGER"],["\\uD83D\\uDE00"]]')
    const ours = answer('[["BIGINT"],["\u{1f600}"]]')
    expect(unexplained(ours, theirs, [d.sqlTypes, d.escapes])).toBeNull()
    expect(unexplained(ours, theirs, [d.sqlTypes])).toContain('body differ')
  })
  test('that no longer exists is reported', () => {
    expect(unexplained(long, integer, [d.sqlTypes, d.escapes])).toContain('no such difference any more: JSON holds')
    expect(unexplained(long, long, [d.sqlTypes])).toContain('no such difference any more')
  })
})

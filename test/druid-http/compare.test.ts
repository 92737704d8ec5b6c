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

describe('the same are', () => {
  test.each<[string, Answer, Answer]>([
    [
      'ids that were made',
      answer('[]', { headers: { 'x-druid-query-id': id('a') } }),
      answer('[]', { headers: { 'x-druid-query-id': id('b') } }),
    ],
    [
      'messages of errors',
      answer('{"error":"e","errorMessage":"ours"}', { status: 400 }),
      answer('{"error":"e","errorMessage":"theirs"}', { status: 400 }),
    ],
    ['headers that nobody reads', answer('[]', { headers: { vary: 'x' } }), answer('[]')],
  ])('%s', (_name, ours, theirs) => {
    expect(unexplained(ours, theirs, [])).toBeNull()
  })
})

describe('not the same are', () => {
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

  test('explains itself', () => {
    expect(unexplained(long, integer, [d.sqlTypes])).toBeNull()
  })
  test('explains nothing else in the body', () => {
    expect(unexplained(long, answer('[["INTEGER"],[2]]'), [d.sqlTypes])).toContain('body differ')
  })
  test('explains no other part', () => {
    expect(unexplained(long, answer('[["INTEGER"],[1]]', { status: 201 }), [d.sqlTypes])).toContain('status differ')
  })
  test('beside another explains both', () => {
    const theirs = answer('[["INTEGER"],["\\uD83D\\uDE00"]]')
    const ours = answer('[["BIGINT"],["\u{1f600}"]]')
    expect(unexplained(ours, theirs, [d.sqlTypes, d.escapes])).toBeNull()
    expect(unexplained(ours, theirs, [d.sqlTypes])).toContain('body differ')
  })
  test('that is gone is told', () => {
    expect(unexplained(long, integer, [d.sqlTypes, d.escapes])).toContain('no such difference any more: JSON holds')
    expect(unexplained(long, long, [d.sqlTypes])).toContain('no such difference any more')
  })
})

import { expect, test } from 'vitest'
import { plainAnswer } from '../../test/support/in-process.ts'
import { Problem } from '../model/problem.ts'
import { type WarmUpParts, warmUp } from './warm-up.ts'

function world({ tags = ['a'], fails = false }: { readonly tags?: string[]; readonly fails?: boolean } = {}) {
  const asked: [string, object][] = []
  let released = 0
  const parts: WarmUpParts = {
    definitions: { entities: () => ['one', 'two', 'three'].map((name) => ({ name })) },
    tagLists: { list: async () => ({ Items: tags, NextToken: null }) },
    queries: {
      run: async ({ kind, request }) => {
        asked.push([kind, request])
        if (fails) throw new Problem('unavailable', 'The store is away.')
        return { ...plainAnswer('[{"D":"2026-01-02T03:00:00.000Z","T":"a","V":1}]'), release: () => released++ }
      },
    },
  }
  return { parts, asked, released: () => released }
}

test('runs the usual queries of one tag repeatedly, and releases the answers', async () => {
  const { parts, asked, released } = world()
  await warmUp(parts)
  expect(asked.slice(0, 4)).toEqual([
    ['latest', { entity: 'one', ids: ['a'] }],
    ['latest', { entity: 'one', ids: ['a'] }],
    ['last', { entity: 'one', ids: ['a'], date: '2026-01-02T03:00:00.000Z' }],
    [
      'average',
      {
        entity: 'one',
        ids: ['a'],
        granularity: 'hour',
        start_date: '2026-01-01T03:00:00.000Z',
        end_date: '2026-01-02T03:00:00.000Z',
      },
    ],
  ])
  expect(asked).toHaveLength(2 * (1 + 40 * 3))
  expect(released()).toBe(asked.length)
})

test('runs no queries without rows, and ignores failures', async () => {
  const empty = world({ tags: [] })
  await warmUp(empty.parts)
  expect(empty.asked).toEqual([])
  const away = world({ fails: true })
  await warmUp(away.parts)
  expect(away.asked).toHaveLength(2)
})

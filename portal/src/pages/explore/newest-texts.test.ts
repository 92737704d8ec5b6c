import { expect, test } from 'vitest'
import { newestTexts } from './newest-texts.ts'

test('returns the newest value of each tag with its age', async () => {
  const nowMs = Date.UTC(2026, 0, 1, 12)
  const at = (minute: number): string => new Date(nowMs - minute * 60_000).toISOString()
  const rows = [
    { D: at(5), T: 'a', V: 1.5 },
    { D: at(-5), T: 'b', note: null, on: true },
    { D: at(90), T: 'c', V: null },
  ]
  const texts = await newestTexts({ query: async () => rows }, { entity: 'e', by: '', tags: ['a', 'b', 'c'] }, nowMs)
  expect([...texts]).toEqual([
    ['a', '1.5, 5 min ago'],
    ['b', 'true, in the future'],
  ])
})

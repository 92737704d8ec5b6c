import { expect, test } from 'vitest'
import type { EntityField } from '../model/entity.ts'
import type { SelectPlan } from '../model/plan.ts'
import type { StoredRows } from './journal-rows.ts'
import { LiveFeed, type LiveMessage } from './live-feed.ts'
import type { LiveQuery } from './live-rows.ts'

const time: EntityField = { name: 'D', role: 'time', type: 'timestamp' }
const tag: EntityField = { name: 'T', role: 'tag', type: 'string' }
const metric: EntityField = { name: 'V', role: 'metric', type: 'double' }
const count = 1000
const readers = 60
const stored: StoredRows = {
  batch: {
    entityId: 1,
    rows: count,
    positions: Float64Array.from({ length: count }, (_, row) => row),
    fields: [time, tag, metric],
    columns: [
      { type: 'timestamp', values: new Float64Array(count) },
      { type: 'string', codes: new Int32Array(count), dictionary: [`a${'x'.repeat(100)}`] },
      { type: 'double', values: new Float64Array(count) },
    ],
  },
  replayPosition: null,
  hidden: new Set(),
}

/** Selects all rows; each reader's query is a different one. */
function questionOf(reader: number): LiveQuery {
  const selection = {
    entityId: 1,
    sinceMs: null,
    time,
    tags: [tag] as const,
    ids: null,
    prefixes: ['a', `z${reader}`],
    metrics: [metric],
    fields: [],
  }
  const range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  return { plan: { kind: 'select', selection, range } as unknown as SelectPlan, itemTags: null }
}

test('updates for many readers are sent in parts, and a reader that leaves meanwhile gets none of the later ones', async () => {
  const stop = new AbortController()
  const parts: number[][] = []
  let turns = 0
  const feed = new LiveFeed({
    rows: {
      read: async () => ({ rows: [stored], throughPosition: count }),
      refresh: async () => undefined,
      close: async () => undefined,
    },
    position: () => count,
    deletions: { changesOf: () => [], firstPendingPosition: () => Number.POSITIVE_INFINITY, seen: (rows) => rows },
    store: { run: () => Promise.reject(new Error('nothing is asked of the store')) as never },
    send: (news: LiveMessage) => {
      if (news.kind !== 'sent') return
      parts.push(news.updates.flatMap(({ followers }) => followers))
      // Other work runs before the next part.
      if (parts.length === 1) setImmediate(() => feed.unfollow(readers - 1))
      else turns++
    },
    observe: () => undefined,
    signal: stop.signal,
    retryDelayMs: 1,
  })
  const start = { position: 0, change: 0 }
  for (let reader = 0; reader < readers; reader++) feed.follow(reader, questionOf(reader), start)
  await expect.poll(() => parts.flat().length, { timeout: 60_000 }).toBe(readers - 1)
  stop.abort()
  await feed.stop()
  expect(turns).toBeGreaterThan(2)
  expect(parts.flat()).toEqual(Array.from({ length: readers - 1 }, (_, reader) => reader))
})

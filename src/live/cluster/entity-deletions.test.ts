import { expect, test } from 'vitest'
import type { ClusterDeletionChange, DeletionSelection, HiddenByDeletion } from '../../model/deletion.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import type { StoredRows } from '../journal-rows.ts'
import { EntityDeletions } from './entity-deletions.ts'

const fields: readonly EntityField[] = [
  { name: 'D', role: 'time', type: 'timestamp' },
  { name: 'T', role: 'tag', type: 'string' },
  { name: 'V', role: 'metric', type: 'double' },
]
const everything = { tag: 'T', ids: null, prefixes: null, fromMs: null, toMs: null, metrics: null, where: null }
const ofA: DeletionSelection = { ...everything, ids: ['a'] }

function changeOf(id: number, ...places: readonly number[]): ClusterDeletionChange {
  return { id, entityId: 1, deletionId: id, isUndone: false, selection: ofA, places }
}

function opened(hidden: readonly HiddenByDeletion[] = [], duplicates: Entity['duplicates'] = 'keep') {
  const state = { changes: [] as ClusterDeletionChange[], isUnderWay: false, sentChange: 0, nowMs: 0 }
  const calls: string[] = []
  const deletions = new EntityDeletions({
    catalog: {
      changesAfter: async (_, last) => {
        calls.push(`after ${last}`)
        return { isUnderWay: state.isUnderWay, changes: state.changes.filter(({ id }) => id > last) }
      },
    },
    entityId: 1,
    entity: () => ({ duplicates, hidden }),
    refresh: async () => void calls.push('refresh'),
    changed: () => calls.push('changed'),
    sentChange: () => state.sentChange,
    changesKeptMs: 100,
    nowMs: () => state.nowMs,
  })
  return { state, calls, deletions }
}

test('callers during a running check share the next one', async () => {
  const { state, calls, deletions } = opened()
  const first = deletions.settle()
  await Promise.resolve()
  state.changes = [changeOf(3, 10)]
  const others = [deletions.settle(), deletions.settle()]
  expect(await Promise.all([first, ...others])).toEqual([true, true, true])
  expect(calls.filter((call) => call.startsWith('after')).length).toBe(2)
  expect(deletions.ofPartition(0).changesOf(1).length).toBe(1)
})

test('settle() reads the changes made before, and returns whether none is in progress', async () => {
  const { state, calls, deletions } = opened()
  expect(await deletions.settle()).toBe(true)
  Object.assign(state, { changes: [changeOf(3, 10, 20)], isUnderWay: true })
  expect(await Promise.all([deletions.settle(), deletions.settle()])).toEqual([false, false])
  Object.assign(state, { changes: [changeOf(3, 10, 20), changeOf(5, 11)], isUnderWay: false })
  expect(await deletions.settle()).toBe(true)
  expect(calls.filter((call) => call !== 'refresh')).toEqual([
    ...['after 0', 'after 0', 'changed', 'after 3', 'changed'],
  ])
  // A partition added later has no rows before the change.
  const places = [0, 1].map((partition) => deletions.ofPartition(partition).changesOf(1))
  expect(places.map((changes) => changes.map(({ id, place }) => [id, place]))).toEqual([
    [
      [3, 10],
      [5, 11],
    ],
    [
      [3, 20],
      [5, 0],
    ],
  ])
})

test('forgets changes that are sent to all readers and too old to resume from, except the last change', async () => {
  const { state, calls, deletions } = opened()
  const known = async (at: Partial<typeof state>): Promise<number[]> => {
    Object.assign(state, at)
    await deletions.settle()
    return deletions
      .ofPartition(0)
      .changesOf(1)
      .map(({ id }) => id)
  }
  expect(await known({ changes: [changeOf(3, 10), changeOf(5, 11)] })).toEqual([3, 5])
  expect(await known({ changes: [changeOf(8, 20)], nowMs: 150, sentChange: 8 })).toEqual([3, 5, 8])
  // One reader has not received the later changes yet.
  expect(await known({ nowMs: 201, sentChange: 3 })).toEqual([5, 8])
  expect(await known({ sentChange: 8 })).toEqual([8])
  expect(await known({ nowMs: 1000 })).toEqual([8])
  // Forgotten changes are not requested again.
  expect(calls.filter((call) => call.startsWith('after')).at(-1)).toBe('after 8')
})

const stored: StoredRows = {
  batch: {
    entityId: 1,
    rows: 3,
    positions: Float64Array.of(100, 101, 102),
    fields,
    columns: [
      { type: 'timestamp', values: Float64Array.of(0, 0, 0) },
      { type: 'string', codes: Int32Array.of(0, 0, 1), dictionary: ['a', 'b'] },
      { type: 'double', values: Float64Array.of(1, 2, 3) },
    ],
  },
  replayPosition: 7,
  hidden: new Set(),
}

test.each<[string, HiddenByDeletion['pushed'], duplicates: Entity['duplicates'], hidden: number[]]>([
  ['pushed before the deletion', [{ from: 0, before: 200 }], 'keep', [100, 101]],
  ['pushed in part before the deletion', [{ from: 0, before: 101 }], 'keep', [100]],
  ['of another partition', [{ from: 200, before: 300 }], 'keep', []],
  ['that replace each other, whose items are read from the store', [{ from: 0, before: 200 }], 'replace', []],
])('rows %s', (_, pushed, duplicates, hidden) => {
  const { deletions } = opened([{ id: 1, selection: ofA, pushed, items: null }], duplicates)
  expect([...deletions.ofPartition(0).seen(stored).hidden]).toEqual(hidden)
})

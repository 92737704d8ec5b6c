import { expect, test } from 'vitest'
import type { DeletionCatalog } from '../../../catalog/deletions.ts'
import type { Deletion } from '../../../model/deletion.ts'
import { ActiveDeletions } from '../deletions/active-deletions.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import { Deletions } from './deletions.ts'

const selection = { tag: 'T', ids: ['a'], prefixes: null, fromMs: null, toMs: null, metrics: null, where: null }
const named = { entityId: 1, selection, reason: 'wrong', subscriber: 'ana', createdMs: 7 }
const made = (id: number, of: Partial<Deletion> = {}): Deletion => {
  return { ...named, id, position: 0, rows: 0, erasedMs: null, ...of }
}

test.each<[string, known: Deletion[], deletionsMax: number, looks: number, outcome: string]>([
  ['below the limit, without listing them', [made(1)], 2, 0, 'made'],
  ['at the limit', [made(1), made(2)], 2, 1, 'conflict'],
  ['at the limit, with one of them erased', [made(1), made(2, { erasedMs: 5 })], 2, 1, 'made'],
  ['at the limit, with one whose rows are all gone', [made(1), made(2, { rows: 3 })], 2, 1, 'made'],
])('limits the deletions of an entity: %s', async (_, known, deletionsMax, looks, outcome) => {
  const calls: string[] = []
  const catalog = {
    list: async () => {
      calls.push('list')
      return known
    },
    create: async () => ({ deletion: made(9), change: { ...made(9), deletionId: 9, place: 0, isUndone: false } }),
  } as Partial<DeletionCatalog> as DeletionCatalog
  const deletions = new Deletions({
    store: new EmbeddedStore({ chunkRows: 8 }, 0),
    folder: { stored: () => expect.fail('there are no files') },
    catalog,
    standing: new ActiveDeletions(known, []),
    runDue: async () => undefined,
    sinceMs: () => null,
    keepsHours: () => false,
    goneMs: () => null,
    shown: () => undefined,
    reach: () => undefined,
    signal: new AbortController().signal,
  })
  const request = { ...named, pushed: [], isDry: false, deletionsMax, waitMs: 60_000 }
  const added = deletions.add(request, 0).then(
    () => 'made',
    ({ code }: { code: string }) => code,
  )
  await deletions.runNext()
  expect([await added, calls.length]).toEqual([outcome, looks])
})

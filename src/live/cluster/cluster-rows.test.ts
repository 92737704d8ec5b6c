import { expect, test } from 'vitest'
import type { KafkaClient } from '../../kafka/kafka-client.ts'
import type { ClusterDeletionChange, HiddenByDeletion } from '../../model/deletion.ts'
import type { Entity } from '../../model/entity.ts'
import type { LiveQuery } from '../live-rows.ts'
import { ClusterRows } from './cluster-rows.ts'

const selection = { tag: 'T', ids: null, prefixes: null, fromMs: null, toMs: null, metrics: null, where: null }
const question = {
  itemTags: null,
  plan: { kind: 'select', selection: { entityId: 1, tags: [], fields: [], metrics: [] }, range: {} },
} as unknown as LiveQuery

/** Kafka with one empty partition. */
const emptyKafka = {
  persist: (work: () => unknown) => work(),
  leaderOf: async () => 0,
  ask: async () => ({ topics: [{ partitions: [{ offset: 0n }] }], responses: [] }),
  close: () => undefined,
} as unknown as KafkaClient

test('deletions made by another process are known before a reader resumes', async () => {
  const made: ClusterDeletionChange[] = []
  const hidden: HiddenByDeletion[] = []
  const entity = { id: 1, name: 'plant', fields: [], duplicates: 'keep' } as unknown as Entity
  const seen: HiddenByDeletion[] = []
  const rows = new ClusterRows({
    client: emptyKafka,
    clusterName: 'c',
    rowsTopics: { ensure: async () => 1 },
    definitions: {
      entities: () => [{ ...entity, hidden: seen }],
      refresh: async () => void seen.push(...hidden.slice(seen.length)),
    },
    deletions: {
      changesAfter: async (_, last) => ({ changes: made.filter(({ id }) => id > last), isUnderWay: false }),
    },
    store: { run: async function* () {} },
    changes: { listen: () => undefined } as never,
    isSeen: async () => true,
    changesKeptMs: 1000,
    observe: () => undefined,
    nowMs: () => 0,
    waitMs: 1000,
  })
  try {
    const heard: string[] = []
    const follower = (name: string) => ({
      following: () => heard.push(`${name} begins, ${seen.length} deleted`),
      update: () => undefined,
      caughtUp: () => undefined,
      lost: () => undefined,
    })
    await rows.follow(question, null, follower('the first'))
    made.push({ id: 1, entityId: 1, deletionId: 1, isUndone: false, selection, places: [0] })
    hidden.push({ id: 1, selection, pushed: [{ from: 0, before: 9 }], items: null })
    await rows.follow(question, '0-1', follower('who goes on'))
    expect(heard).toEqual(['the first begins, 0 deleted', 'who goes on begins, 1 deleted'])
  } finally {
    rows.close()
  }
})

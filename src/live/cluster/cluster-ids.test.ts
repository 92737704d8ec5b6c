import { expect, test } from 'vitest'
import { ClusterIds, type Held } from './cluster-ids.ts'

const held: readonly Held[] = [
  { firstOffset: 10, endOffset: 20 },
  { firstOffset: 0, endOffset: 5 },
]

async function idsOf(secret: string, partitions = held): Promise<ClusterIds> {
  const ids = new ClusterIds({
    secrets: { secret: async () => Buffer.from(secret) },
    held: async () => partitions,
    // Change 2 of the entity was made at time 50, change 4 at time 150.
    deletions: { lastChange: async () => 4, hasChanged: async (_, change, beforeMs) => change < 2 && 50 < beforeMs },
    changesKeptMs: 100,
    nowMs: () => 200,
  })
  await ids.begin()
  return ids
}

test.each<[string, position: string, start: string | null]>([
  ['the first retained offsets', '10.0-2', '10.0-2'],
  ['the end offsets', '20.5-2', '20.5-2'],
  ['one partition before its first offset', '9.5-2', null],
  ['one partition after its end offset', '15.6-2', null],
  ['no offset for a partition, which starts at its beginning', '15-2', '15-2'],
  ['the last change', '15.2-4', '15.2-4'],
  ['before a change that is no longer retained', '15.2-1', null],
  ['a change that does not exist', '15.2-5', null],
])('%s', async (_, position, start) => {
  const [giver, taker] = [await idsOf('a'), await idsOf('a')]
  expect(await taker.startOf(7, giver.idOf(7, position))).toBe(start)
})

test('an id without an offset for a partition is unknown after the first rows of the partition expire', async () => {
  const [ids, trimmed] = [await idsOf('a'), [held[0]!, { firstOffset: 1, endOffset: 5 }]]
  expect(await (await idsOf('a', trimmed)).startOf(7, ids.idOf(7, '15-2'))).toBeNull()
})

test.each<[string, id: (ids: ClusterIds) => Promise<string>]>([
  ['of another entity', async (ids) => ids.idOf(8, '15.2-2')],
  ['of another cluster', async () => (await idsOf('b')).idOf(7, '15.2-2')],
  ['with another change', async (ids) => ids.idOf(7, '15.2-2').replace('-2-', '-3-')],
  ['with other offsets', async (ids) => ids.idOf(7, '15.2-2').replace('15.2', '15.3')],
  ['without a MAC', async () => '15.2-2'],
  ['of a single-machine server', async () => '5f0c3a9be41d7c22-1834-kq3c0O9mJdVx2hYt'],
  ['in an unknown format', async () => '..-'],
  ['that is empty', async () => ''],
])('an id %s is unknown', async (_, id) => {
  const ids = await idsOf('a')
  expect(await ids.startOf(7, await id(ids))).toBeNull()
})

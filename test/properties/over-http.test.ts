// A whole service on either engine must give the results of a plain model over HTTP: data queries after random histories of entities, side by side in one
// service that is restarted in the middle, and lists of metadata, with items pushed and deleted between two pages. TIDEMARK_TEST_WORLDS sets the number of
// worlds, TIDEMARK_TEST_SEED the seed of a failed one.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { callOk } from '../support/api.ts'
import { newClusterName, onCluster, publishRows } from '../support/cluster-under-test.ts'
import {
  type Identifier,
  type ItemKind,
  type ItemTable,
  itemFields,
  itemJson,
  itemKinds,
  listsAsAnArrayWould,
} from '../support/random-items.ts'
import { spanMs } from '../support/random-queries.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import { firstSeed, seeded, worldsAsked } from './asked-worlds.ts'
import { HttpWorld } from './http-world.ts'
import { type HistorySize, RandomHistory } from './random-history.ts'

const limitMs = 900_000
const isShort = process.env['TIDEMARK_CLUSTER_SHORT'] === '1'

describe('data queries', () => {
  const worlds = worldsAsked ?? (!onCluster ? 2 : isShort ? 4 : 6)
  /** The number of worlds that share one service: on a cluster each needs a Druid task, and all tasks start at once. */
  const side = 6
  const size: HistorySize = { batchesMax: 8, rowsMax: onCluster ? 400 : 120, minutes: 90, questions: 20 }
  const dayMs = 86_400_000
  /** Rows are sealed and files merged all the time. */
  const restless = { 'store.headRows': '60', 'store.headAgeMs': '50', 'store.dayRowsMin': '40', 'store.pageRows': '16' }
  const patient = { 'limits.ingestWaitMs': '100000' }

  async function run(seeds: readonly number[]): Promise<void> {
    // The clock stands still, so that the meaning of durations is known. It is an hour ahead, so that Druid, by its own clock, expires nothing before us.
    const nowMs = Math.floor(Date.now() / 1000) * 1000 + 3_600_000
    const times = { originMs: Math.floor(nowMs / dayMs) * dayMs - spanMs / 2, nowMs }
    const clusterName = newClusterName()
    let service = await runService({ ...restless, ...patient }, { clusterName, nowMs: () => nowMs })
    const histories = seeds.map((seed) => {
      const world = new HttpWorld(() => service.url, `w${seed}`, { lifts: !isShort })
      return { seed, history: new RandomHistory(seed, size, times, world) }
    })
    try {
      await allSettled(histories.map(({ seed, history }) => seeded(seed, () => history.begin())))
      if (onCluster && !isShort) await publishRows(clusterName)
      service = await service.restart()
      await allSettled(histories.map(({ seed, history }) => seeded(seed, () => history.continueAfterRestart())))
    } finally {
      await service.close()
    }
  }

  const seeds = Array.from({ length: worlds }, (_, index) => firstSeed + index)
  const groups = Array.from({ length: Math.ceil(worlds / side) }, (_, index) =>
    seeds.slice(index * side, (index + 1) * side),
  )
  test.each(groups.map((group) => [group.length, group] as const))(
    `%i worlds in one service answer ${size.questions} random requests each like the model, also after a restart`,
    (_, group) => run(group),
    limitMs,
  )
})

/** Waits until all work has ended, then throws the first failure. */
async function allSettled(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

describe('metadata', () => {
  const numRuns = worldsAsked ?? (onCluster ? 8 : 4)
  const admin = { key: adminKey }
  let service: RunningService
  let pusher: { readonly key: string }
  let tables = 0

  beforeAll(async () => {
    service = await runService()
    const subscriber = '/admin/subscribers/pusher'
    await callOk(service.url, 'POST', '/admin/subscribers', { ...admin, body: { name: 'pusher' } })
    await callOk(service.url, 'PUT', `${subscriber}/subscriptions`, { ...admin, body: [{ ingest: '*' }] })
    pusher = await callOk(service.url, 'POST', `${subscriber}/keys`, { ...admin, body: { rights: ['ingest'] } })
  })
  afterAll(() => service?.close())

  async function textOf(path: string, body: object | null = null): Promise<string> {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await fetch(service.url + path, body === null ? {} : post)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status} ${text}`)
    return text
  }

  /** A new table, without the items of other properties. */
  async function newTable<Id extends Identifier>(kind: ItemKind<Id>): Promise<ItemTable<Id>> {
    const alias = `${kind.type}_${tables++}`
    const body = { alias, kind: 'metadata', fields: itemFields(kind.type) }
    await callOk(service.url, 'POST', '/admin/ingests', { ...admin, body })
    const path = `/consumer/metadata/${alias}`
    return {
      push: async (items) => {
        const text = `[${items.map((item) => itemJson(kind, item)).join(',')}]`
        await callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key: pusher.key, text })
      },
      delete: (id) =>
        callOk(service.url, 'DELETE', `/admin/metadata/${alias}/items/${encodeURIComponent(kind.spell(id))}`, admin),
      list: (query) => textOf(`${path}?${query}`),
      find: (itemsId) => textOf(path, { itemsId }),
      count: async () => {
        const described = { body: { entities: [alias] } }
        return (await callOk<{ items: number }[]>(service.url, 'POST', '/consumer/metadata', described))[0]!.items
      },
    }
  }

  describe.concurrent(`${numRuns} tables of each type return the same lists as a sorted array`, () => {
    const runs = { numRuns }
    const property = <Id extends Identifier>(kind: ItemKind<Id>) => listsAsAnArrayWould(kind, () => newTable(kind))
    test('strings', () => fc.assert(property(itemKinds.string), runs), limitMs)
    test('longs', () => fc.assert(property(itemKinds.long), runs), limitMs)
    test('doubles', () => fc.assert(property(itemKinds.double), runs), limitMs)
    test('timestamps', () => fc.assert(property(itemKinds.timestamp), runs), limitMs)
  })
})

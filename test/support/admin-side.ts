// The admin API's services over their own catalog, with a record of the notifications they send, for tests.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { EntityAdmin } from '../../src/admin/entities.ts'
import { IngestAdmin } from '../../src/admin/ingests.ts'
import { RejectedAdmin } from '../../src/admin/rejected.ts'
import { RejectedRows } from '../../src/admin/rejected-rows.ts'
import { Retentions } from '../../src/admin/retentions.ts'
import { SubscriberAdmin } from '../../src/admin/subscribers.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts'
import { NextTokens } from '../../src/model/next-token.ts'
import type { Page, PageRequest } from '../../src/model/page.ts'

export const nowMs = () => Date.UTC(2026, 0, 1)
export const now = '2026-01-01T00:00:00.000Z'

/** The notifications that the admin services sent, and the results that their listeners return. */
interface Reported {
  changes: number
  /** Whether reading the changes fails. */
  unread: boolean
  drops: number
  waitingSinceMs: number | null
  purged: number[]
  /** The promise that each purge waits for. */
  purging: Promise<void>
  currentMs: number
}

const fresh = (): Reported => ({
  changes: 0,
  unread: false,
  drops: 0,
  waitingSinceMs: null,
  purged: [],
  purging: Promise.resolve(),
  currentMs: nowMs(),
})
export const reported = fresh()

let directory: string
export let catalog: Catalog
export let retentions: Retentions
export let ingests: IngestAdmin
export let entities: EntityAdmin
export let subscribers: SubscriberAdmin
export let rejected: RejectedAdmin
export let rows: RejectedRows

/** Recreates everything before each test of the file. */
export function useAdminSide(): void {
  beforeEach(async () => {
    Object.assign(reported, fresh())
    directory = await mkdtemp(join(tmpdir(), 'tidemark-catalog-'))
    catalog = await openSqliteCatalog({ path: join(directory, 'catalog.sqlite') })
    let keys = 0
    const tokens = new NextTokens(await catalog.secrets.secret('next-token'))
    const changed = async (): Promise<void> => {
      reported.changes += 1
      if (reported.unread) throw new Error('away')
    }
    const counters = (id: number) => ({ received: id, stored: 0, rejected: 0, pending: id })
    ingests = new IngestAdmin({
      ingests: catalog.ingests,
      tokens,
      counters,
      requireCounters: () => undefined,
      changed,
      dropped: () => {
        reported.drops += 1
      },
      waitingSinceMs: () => reported.waitingSinceMs,
      reach: () => {},
      nowMs,
    })
    retentions = new Retentions({
      ingests: catalog.ingests,
      store: {
        changed: () => {},
        purge: (entityId) => reported.purging.then(() => void reported.purged.push(entityId)),
      },
      changed,
      nowMs: () => reported.currentMs,
      reach: () => {},
    })
    entities = new EntityAdmin({
      ingests: catalog.ingests,
      retentions,
      tokens,
      isTimeZone: (name) => name === 'Europe/Madrid',
      changed,
    })
    subscribers = new SubscriberAdmin({
      access: catalog.access,
      tokens,
      newKey: () => ({ key: `key ${++keys}`, hash: `hash ${keys}` }),
      newKeyId: () => `id${keys}`,
      changed,
      nowMs,
    })
    const batchIds = {
      encode: (key: object) => JSON.stringify(key),
      decode: (text: string) => (text.startsWith('{') ? JSON.parse(text) : null),
    }
    const discarded = async (): Promise<void> => {}
    rows = new RejectedRows({
      discarded,
      rejected: catalog.rejected,
      batchIds,
      outcome: async ({ rows: all }) => ({ stored: all - 2, rejected: 2, pending: 0 }),
      tokens,
      pageBytes: 1_000_000,
    })
    rejected = new RejectedAdmin({
      discarded,
      preview: {
        preview: async () => ({ rows: 0, stored: 0, rejected: 0, more: false, overwritten: [], unused: [], Items: [] }),
      },
      replays: { replay: async (_, positions) => ({ replayed: positions?.length ?? 100, stored: 0, rejected: 0 }) },
      ingests: catalog.ingests,
      rows,
    })
  })
  afterEach(async () => {
    await catalog.close()
    await rm(directory, { recursive: true })
  })
}

/** All pages of a list, in order. */
export async function pages<Item>(
  list: (request: PageRequest) => Promise<Page<Item>>,
  limit: number,
): Promise<(readonly Item[])[]> {
  const all: (readonly Item[])[] = []
  for (let token: string | undefined; ; ) {
    const { Items, NextToken } = await list({ limit, token })
    all.push(Items)
    if (NextToken === null) return all
    token = NextToken
  }
}

export const refusal = (code: string, path?: string) =>
  expect.objectContaining(path === undefined ? { code } : { code, errors: [expect.objectContaining({ path })] })

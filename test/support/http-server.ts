import { Readable } from 'node:stream'
import { type Caller, isCaller, requireCaller, unknownKey, withoutKey } from '../../src/access/caller.ts'
import { keyIn } from '../../src/access/keys.ts'
import { loadSettings } from '../../src/config/load.ts'
import { FailedKeys } from '../../src/http/failed-keys.ts'
import { InFlight } from '../../src/http/in-flight.ts'
import type { App } from '../../src/http/route.ts'
import { buildServer } from '../../src/http/server.ts'
import type { Services } from '../../src/http/services.ts'
import { Subscriptions } from '../../src/i3x/subscriptions.ts'
import type { Entity } from '../../src/model/entity.ts'
import type { Ingest } from '../../src/model/ingest.ts'
import { Problem } from '../../src/model/problem.ts'
import type { Observe, ServiceEvent } from '../../src/observe/event.ts'
import { plainAnswer } from './in-process.ts'

/** Keys that the services below accept; their rights are in `callers`. */
export const keys = { pusher: 'pusher-key', reader: 'reader-key', watcher: 'watcher-key', admin: 'admin-key' }
const callers = new Map<string, Caller>([
  [keys.pusher, { keyId: 'k1', subscriberId: 1, subscriber: 'pusher', rights: new Set(['ingest'] as const) }],
  [keys.reader, { keyId: 'k2', subscriberId: 2, subscriber: 'reader', rights: new Set(['consume'] as const) }],
  [keys.watcher, { keyId: 'k4', subscriberId: 4, subscriber: 'watcher', rights: new Set(['observe'] as const) }],
  [keys.admin, { keyId: 'k3', subscriberId: 3, subscriber: 'operator', rights: new Set(['admin'] as const) }],
])

export const plant: Ingest = {
  id: 1,
  alias: 'plant',
  kind: 'series',
  entity: 'plant',
  entityId: 1,
  fields: [],
  fieldsVersion: 1,
  duplicates: 'keep',
  state: 'active',
  reason: null,
  createdMs: 0,
}
const ingests = new Map<string, Ingest>([
  ['plant', plant],
  ['blocked', { ...plant, id: 2, alias: 'blocked', state: 'blocked', reason: 'Meter is being replaced' }],
])

const entities = ['secret', 'plant'].map((name, index): Entity => {
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'unit', type: 'string', role: 'dimension' },
    { name: 'V', type: 'double', role: 'metric' },
  ] as const
  return { id: index + 1, name, fields, duplicates: 'keep', ingests: [name], sinceMs: null, retention: null }
})

export interface TestServer {
  readonly app: App
  readonly inFlight: InFlight
  readonly events: ServiceEvent[]
  /** Pushed bodies. */
  readonly pushed: { readonly body: string; readonly format: string; readonly wait: boolean }[]
}

/** The HTTP server over plain objects as services: the reader may read `plant`, the pusher may push to everything. */
export async function testServer(
  overrides: Partial<Services> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const events: ServiceEvent[] = []
  const pushed: TestServer['pushed'] = []
  const inFlight = new InFlight()
  let requests = 0
  const observe: Observe = (event) => events.push(event)
  const app = await buildServer({
    services: { ...plainServices(pushed), observe, ...overrides },
    settings: loadSettings({
      flags: {},
      environment: { TIDEMARK_ACCESS_CONSUMPTION: 'public', ...environment },
      file: null,
    }),
    inFlight,
    failedKeys: new FailedKeys({ perMinute: 60, nowMs: () => 0, observe }),
    requestId: () => `request-${++requests}`,
  })
  return { app, inFlight, events, pushed }
}

const forbidden = (): Problem => new Problem('forbidden', 'Send a key that may do this.')
const rows = Buffer.from('[{"D":"2026-01-01T00:00:00.000Z","T":"a","V":1}]')
const page = { Items: [], NextToken: null }
const pageBytes = Buffer.from(JSON.stringify(page))

/** An admin service whose methods return an empty page unless given. Tests of requests check no more than that. */
export function emptyPages<Part extends object>(given: NoInfer<Partial<Part>> = {}): Part {
  return new Proxy(given, { get: (methods, name) => Reflect.get(methods, name) ?? (async () => page) }) as Part
}

const noResults = async () => ({ results: [], partial: null })
const noResult = { result: [], partial: null }
const plainI3x: Services['i3x'] = {
  subscriptions: new Subscriptions(
    emptyPages({ limits: { subscriptions: 0, objects: 1, waitingBytes: 1, idleMs: 1 }, nowMs: () => 0 }),
  ),
  namespaces: () => noResult,
  objectTypes: () => noResult,
  objectTypesOf: () => ({ results: [], partial: null }),
  relationshipTypes: () => noResult,
  relationshipTypesOf: () => ({ results: [], partial: null }),
  objects: async () => noResult,
  objectsOf: noResults,
  related: noResults,
  values: noResults,
  history: noResults,
  write: noResults,
}

export function plainServices(pushed: TestServer['pushed']): Omit<Services, 'observe'> {
  return {
    live: emptyPages<Services['live']>({
      read: () => {
        throw new Problem('unknown_entity', 'There is no such entity.')
      },
    }),
    access: {
      changes: 0,
      identify: (credential) => {
        const key = keyIn(credential)
        return key === null ? withoutKey(credential) : (callers.get(key) ?? unknownKey)
      },
      requireIngest: (asker) => {
        const caller = requireCaller(asker)
        if (!caller.rights.has('ingest')) throw forbidden()
        return caller
      },
      requireOwnRows: (asker) => {
        const caller = requireCaller(asker)
        if (!caller.rights.has('ingest')) throw forbidden()
        return caller
      },
      mayPush: () => true,
      requireConsume: (asker) => {
        const caller = requireCaller(asker)
        if (!caller.rights.has('consume') && !caller.rights.has('admin')) throw forbidden()
        return caller
      },
      requireObserve: (asker) => {
        const caller = requireCaller(asker)
        if (!caller.rights.has('observe') && !caller.rights.has('admin')) throw forbidden()
        return caller
      },
      requireAdmin: (asker) => {
        const caller = requireCaller(asker)
        if (!caller.rights.has('admin')) throw forbidden()
        return caller
      },
      requireCorrect: (asker, name) => {
        const caller = requireCaller(asker)
        const isAllowed = caller.rights.has('admin') || (caller.rights.has('correct') && name === 'plant')
        if (!isAllowed) throw forbidden()
        return caller
      },
      mayRead: (asker, name) =>
        isCaller(asker) && (asker.rights.has('admin') || (asker.rights.has('consume') && name === 'plant')),
      describe: (asker) => {
        const caller = requireCaller(asker)
        return { subscriber: caller.subscriber, rights: [...caller.rights], subscriptions: [] }
      },
    },
    definitions: {
      ingest: (alias) => ingests.get(alias),
      ingests: () => ingests.values(),
      entity: (name) => entities.find((entity) => entity.name === name),
      entities: () => entities,
    },
    pushes: {
      push: async ({ body, format, wait }) => {
        pushed.push({ body: Buffer.from(body).toString(), format, wait })
        return { batch: 'b1', rows: 1 }
      },
    },
    pushCheck: { check: async () => ({ rows: 1, stored: 1, rejected: 0, errors: [] }) },
    receipts: {
      receipt: async (_subscriber, ingest, batch) => {
        if (batch !== 'b1' || ingest === null) throw new Problem('batch_not_found', 'There is no such batch.')
        return { batch, rows: 1, stored: 1, rejected: 0, pending: 0, replaced: 0, errors: [] }
      },
    },
    sqlQueries: { run: async () => plainAnswer(rows) },
    avatica: {
      answer: async () => ({ response: 'closeConnection' }),
      requireOwn: () => undefined,
      closeIdle: () => undefined,
      close: () => undefined,
    },
    nativeQueries: { run: async () => plainAnswer(rows) },
    i3x: plainI3x,
    influxQueries: { run: async () => plainAnswer(Buffer.from('{"results":[{"statement_id":0}]}\n')) },
    cancelsElsewhere: null,
    queries: {
      run: async ({ request }, _signal, { mayRead }) => {
        if (!mayRead(request.entity)) throw forbidden()
        if (request.entity !== 'plant') throw new Problem('unknown_entity', 'There is no such entity.')
        return plainAnswer(rows)
      },
    },
    entityList: {
      list: async (_signal, { mayRead }) =>
        ['plant', 'secret'].filter(mayRead).map((entity) => ({
          entity,
          ingests: [],
          time_field: 'D',
          fields: [],
          rows: 0,
          first_date: null,
          last_date: null,
        })),
    },
    tagLists: {
      list: async (entity, _request, _signal, { mayRead }) => {
        if (!mayRead(entity)) throw forbidden()
        return page
      },
    },
    metadata: {
      describe: async () => [],
      requireTable: () => {},
      list: async () => ({ bytes: pageBytes.length, chunks: [pageBytes] }),
      find: async () => ({ bytes: 2, chunks: [Buffer.from('[]')] }),
    },
    audit: emptyPages({
      change: () => ({ run: (work) => work(), keepLine: async () => undefined }),
      keyRefused: () => undefined,
    }),
    ingestAdmin: emptyPages({
      create: async ({ alias, kind }) => {
        if (ingests.has(alias)) throw new Problem('conflict', 'The alias is taken.')
        const counters = { received: 0, stored: 0, rejected: 0, pending: 0 }
        return { alias, kind, fields: [], state: 'active', reason: null, created: '2026-01-01T00:00:00.000Z', counters }
      },
    }),
    rejectedRows: emptyPages(),
    rejectedAdmin: emptyPages(),
    quarantineAdmin: emptyPages({
      body: async () => ({ format: 'json', bytes: 2, chunks: Readable.from([Buffer.from('[]')]) }),
    }),
    subscriberAdmin: emptyPages({
      deleteKey: async (id) => {
        if (id !== 'k1') throw new Problem('not_found', 'There is no such key.')
      },
    }),
    entityAdmin: emptyPages(),
    hookAdmin: emptyPages({ put: async () => ({ isNew: true, answer: null! }) }),
    views: emptyPages({ put: async () => ({ isNew: true, answer: null! }) }),
    deletionAdmin: emptyPages(),
    storageList: emptyPages(),
    itemAdmin: emptyPages(),
    backups: { make: async () => ({ path: '/backups/one', bytes: 10 }) },
    backupList: emptyPages(),
    settingsInForce: () => [],
    metrics: { text: async () => '# none\n', contentType: 'text/plain; version=0.0.4; charset=utf-8' },
    readiness: () => ({
      ready: true,
      reason: null,
      journal: { recovery: { segments: 1, entries: 0, bytes: 0, tornBytes: 0, tornFile: null } },
      store: { ready: true, sealedPosition: 0, files: 0, rows: 0, bytes: 0 },
      sql: { state: 'idle' },
    }),
  }
}

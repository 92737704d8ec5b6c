// The composition root: settings -> adapters -> services -> server, by hand. Beside the store's thread, only this file names concrete adapters.
import { randomUUID } from 'node:crypto'
import { Access } from '../access/access.ts'
import { ensureAdminKey } from '../access/admin-key.ts'
import { newKey } from '../access/keys.ts'
import type { Backups } from '../admin/backups.ts'
import { EntityAdmin } from '../admin/entities.ts'
import { IngestAdmin } from '../admin/ingests.ts'
import { RejectedAdmin } from '../admin/rejected.ts'
import { Retentions } from '../admin/retentions.ts'
import { SubscriberAdmin } from '../admin/subscribers.ts'
import { Definitions } from '../catalog/definitions.ts'
import type { Settings } from '../config/settings.ts'
import { InFlight } from '../http/in-flight.ts'
import type { Readiness } from '../http/readiness.ts'
import { buildServer } from '../http/server.ts'
import type { Services } from '../http/services.ts'
import { stopServer } from '../http/stop.ts'
import { BatchIds } from '../ingest/batch-id.ts'
import { Backlog } from '../ingest/limits/backlog.ts'
import { DiskFloor } from '../ingest/limits/disk-floor.ts'
import { Intake } from '../ingest/limits/intake.ts'
import { KeyRates } from '../ingest/limits/key-rates.ts'
import { RejectedSpace } from '../ingest/limits/rejected-space.ts'
import { Pushes } from '../ingest/push.ts'
import { Receipts } from '../ingest/receipts.ts'
import { Replays } from '../ingest/replay/replays.ts'
import type { Disk } from '../lib/disk.ts'
import { freeBytes } from '../lib/free-bytes.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { repeat } from '../lib/repeat.ts'
import { ItemAdmin } from '../metadata/item-admin.ts'
import { Metadata } from '../metadata/metadata.ts'
import { NextTokens } from '../model/next-token.ts'
import { combineSinks } from '../observe/combine.ts'
import type { Observe } from '../observe/event.ts'
import { Metrics } from '../observe/metrics.ts'
import type { Reach } from '../observe/step.ts'
import { Admission } from '../query/admission.ts'
import { Queries } from '../query/queries.ts'
import { SqlQueries } from '../query/sql-queries.ts'
import type { SqlProcess } from '../sql-process/sql-process.ts'
import { openBackups } from './open-backups.ts'
import { openSqlEngine } from './open-sql-engine.ts'
import { type Closer, openStorage, type Storage, type StorageParts } from './open-storage.ts'

/** Parts that a test may put in place of the real ones. */
export interface ServiceOverrides {
  readonly nowMs?: () => number
  readonly threadUrl?: URL
  readonly reach?: Reach
  /** How much is free on the disk of the data folder. */
  readonly freeBytes?: (directory: string) => Promise<number>
  /** Of the journal and the idempotency keys; the store's thread has its own. */
  readonly disk?: Disk
  /** The catalog takes no more room than so many pages, in the main thread. */
  readonly catalogPagesMax?: number
}

export interface Service {
  /** Where it listens. */
  readonly url: string
  /** The first admin key, if this start made one: it is shown this once. */
  readonly newAdminKey: string | null
  /** Takes no more requests, finishes those in flight for `server.shutdownMs` at most, less when `atOnce` is aborted, and puts everything away. */
  close(atOnce?: AbortSignal): Promise<void>
}

const compiledThread = new URL('../store-thread/entry.js', import.meta.url)
/** How many rejected rows a receipt shows (contract, section 9). */
const receiptErrorsMax = 100

/**
 * Opens the data folder, replays what the journal holds, and listens. Throws an Error whose message tells the operator what to do:
 * when the folder has another owner, is damaged or is newer, or the address is taken.
 */
export async function startService(
  settings: Settings,
  observer: Observe,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  const { nowMs = Date.now, threadUrl = compiledThread, reach = () => undefined } = overrides
  const { disk = nodeDisk, catalogPagesMax } = overrides
  const metrics = new Metrics({ processMetrics: true })
  const observe = combineSinks(metrics.observe, observer)
  const closers: Closer[] = []
  const close = async (atOnce: AbortSignal = new AbortController().signal): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer(atOnce)
  }
  try {
    const parts = { settings, observe, nowMs, threadUrl, reach, disk, catalogPagesMax }
    const storage = await openStorage(parts, closers)
    const sqlEngine = openSqlEngine({ ...parts, storage }, closers)
    const backups = await openBackups(parts, storage)
    const newAdminKey = await ensureAdminKey(storage.catalog.access, settings.adminKey, nowMs)
    const limits = await openLimits(settings, { ...storage, observe }, { nowMs, freeBytes, ...overrides }, closers)
    const definitions = await Definitions.open(storage.catalog.ingests)
    const retentions = await openRetentions({ ...parts, storage, definitions }, closers)
    const services = await buildServices({
      ...parts,
      storage,
      sqlEngine,
      definitions,
      backups,
      limits,
      retentions,
      metrics,
    })
    const inFlight = new InFlight()
    const app = await buildServer({ services, settings, inFlight, requestId: randomUUID })
    const { shutdownMs } = settings.server
    closers.push((atOnce) => stopServer(app, inFlight, { shutdownMs, atOnce }))
    const url = await app.listen({ host: settings.host, port: settings.port })
    observe({ kind: 'serverListening', url })
    return { url: url + settings.server.basePath, newAdminKey, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Limits {
  readonly intake: Intake
  readonly rejectedSpace: RejectedSpace
}

async function openLimits(
  { data, limits, journal }: Settings,
  { catalog, store, observe }: Storage & { readonly observe: Observe },
  { nowMs, freeBytes }: Required<Pick<ServiceOverrides, 'nowMs' | 'freeBytes'>>,
  closers: Closer[],
): Promise<Limits> {
  const disk = new DiskFloor(() => freeBytes(data), journal.diskFloorBytes)
  const rejectedSpace = new RejectedSpace(catalog.rejected, limits.rejectedBytes)
  const check = async (): Promise<void> => {
    await disk.refresh()
    await rejectedSpace.refresh()
  }
  await check()
  const failed = (error: unknown): void => observe({ kind: 'checkFailed', message: String(error) })
  closers.push(repeat(check, limits.checkMs, failed))
  const backlog = new Backlog(store, journal.backlogBytes)
  const rates = new KeyRates(
    { rowsPerSecond: limits.keyRowsPerSecond, bytesPerSecond: limits.keyBytesPerSecond },
    nowMs,
  )
  return { intake: new Intake({ backlog, disk, rejected: rejectedSpace, rates }), rejectedSpace }
}

/** What is due leaves before the first query is answered, and then whenever a day is over. */
async function openRetentions(
  {
    settings,
    observe,
    nowMs,
    reach,
    storage,
    definitions,
  }: StorageParts & Pick<ServiceParts, 'storage' | 'definitions'>,
  closers: Closer[],
): Promise<Retentions> {
  const { catalog, store } = storage
  const changed = (): Promise<void> => definitions.refresh()
  const retentions = new Retentions({ ingests: catalog.ingests, store, changed, nowMs, reach })
  const failed = (error: unknown): void => observe({ kind: 'checkFailed', message: String(error) })
  await retentions.check().catch(failed)
  closers.push(repeat(() => retentions.check(), settings.store.retentionCheckMs, failed))
  return retentions
}

interface ServiceParts {
  readonly settings: Settings
  readonly storage: Storage
  readonly sqlEngine: SqlProcess
  readonly definitions: Definitions
  readonly retentions: Retentions
  readonly reach: Reach
  readonly backups: Backups
  readonly limits: Limits
  readonly metrics: Metrics
  readonly observe: Observe
  readonly nowMs: () => number
}

async function buildServices(parts: ServiceParts): Promise<Services> {
  const { settings, storage, sqlEngine, definitions, retentions, metrics, observe, nowMs, reach } = parts
  const { catalog, readingCatalog, journal, keys, store } = storage
  const { intake, rejectedSpace } = parts.limits
  const { ingests, rejected } = catalog
  const { limits } = settings
  const access = await Access.open(catalog.access, nowMs)
  const batchIds = new BatchIds(await catalog.secrets.secret('batch-id'))
  const tokens = new NextTokens(await catalog.secrets.secret('next-token'))
  const receipts = new Receipts({ batchIds, rejected, progress: store, errorsMax: receiptErrorsMax })
  const { ingestWaitMs } = limits
  const admission = new Admission(limits)
  return {
    access,
    definitions,
    receipts,
    pushes: new Pushes({ journal, keys, intake, batchIds, progress: store, receipts, nowMs, ingestWaitMs }),
    queries: new Queries({ definitions, runner: store, admission, nowMs, limits }),
    sqlQueries: new SqlQueries({ definitions, snapshots: store, runner: sqlEngine, admission, limits }),
    metadata: new Metadata({ definitions, items: readingCatalog.items, tokens, limits }),
    ingestAdmin: new IngestAdmin({
      ingests,
      tokens,
      counters: (id) => store.counters(id),
      changed: () => definitions.refresh(),
      dropped: () => store.changed(),
      reach,
      nowMs,
    }),
    rejectedAdmin: new RejectedAdmin({
      ingests,
      rejected,
      batchIds,
      replays: new Replays({ rejected, journal, progress: store, nowMs, reach }),
      tokens,
      pageBytes: limits.pageBytes,
      discarded: () => rejectedSpace.refresh(),
    }),
    subscriberAdmin: new SubscriberAdmin({
      access: catalog.access,
      tokens,
      newKey,
      newKeyId: randomUUID,
      changed: () => access.refresh(),
      nowMs,
    }),
    entityAdmin: new EntityAdmin({ ingests, retentions, tokens }),
    itemAdmin: new ItemAdmin({ definitions, items: catalog.items, journal, progress: store, waitMs: ingestWaitMs }),
    backups: parts.backups,
    metrics,
    readiness: () => readiness(storage, sqlEngine),
    observe,
  }
}

const storeIsAway = 'The store is being started again: pushes are taken, queries are not answered yet.'
const journalHasFailed =
  'The journal could not be written to disk: queries are answered, pushes are not taken. Check the disk of the data folder, then start the service again.'

function readiness({ journal, store }: Storage, sqlEngine: SqlProcess): Readiness {
  const { hasFailed, recovery } = journal
  const reason = hasFailed ? journalHasFailed : store.isReady ? null : storeIsAway
  return {
    ready: reason === null,
    reason,
    journal: { recovery: { ...recovery } },
    store: { ready: store.isReady, ...store.state },
    sql: { state: sqlEngine.state },
  }
}

// The embedded engine: everything in this process, its threads and its data folder.

import { resolve } from 'node:path'
import { Access } from '../access/access.ts'
import { Retentions } from '../admin/retentions.ts'
import { Admission } from '../admission/admission.ts'
import { Definitions } from '../catalog/definitions.ts'
import { dataPaths } from '../config/data-paths.ts'
import { nativeLanguage } from '../druid-native/native-language.ts'
import { NativeOnOneMachine } from '../druid-native/native-on-one-machine.ts'
import { SqlLanguage } from '../druid-sql/sql-language.ts'
import type { ObservedConditions } from '../hooks/observed-conditions.ts'
import type { Readiness } from '../http/readiness.ts'
import { DiskFloor } from '../ingest/limits/disk-floor.ts'
import { RejectedSpace } from '../ingest/limits/rejected-space.ts'
import { QuarantineCount } from '../ingest/quarantine/quarantine-count.ts'
import { repeat } from '../lib/repeat.ts'
import { Live } from '../live/live.ts'
import { instantOrNull } from '../model/instant.ts'
import { checkFailed } from '../observe/check-failed.ts'
import type { FailingWork } from '../observe/failing-work.ts'
import type { Levels, Metrics } from '../observe/metrics.ts'
import { warmUp } from '../query/warm-up.ts'
import type { Copier } from '../replica/copier.ts'
import type { SqlProcess } from '../sql-process/main-side/sql-process.ts'
import { buildServices, type Opened, type ServiceParts } from './build-services.ts'
import { openAudit } from './open-audit.ts'
import { openBackups } from './open-backups.ts'
import { openHooks } from './open-hooks.ts'
import { openIntake } from './open-intake.ts'
import { openReplica, replicaLevels } from './open-replica.ts'
import { openSqlEngine } from './open-sql-engine.ts'
import { type Closer, openStorage, type Storage, type StorageParts } from './open-storage.ts'
import { readinessWarnings } from './readiness-warnings.ts'

export interface EmbeddedParts extends StorageParts {
  readonly metrics: Metrics
  readonly failing: FailingWork
  readonly observed: ObservedConditions
  readonly sqlEntryUrl: URL
  /** The free bytes on the disk of the data folder. */
  readonly freeBytes: (directory: string) => Promise<number>
}

/** The longest that writing an answer may block the event loop. */
const sliceMs = 5

/** Opens the data folder and replays the journal. `closers` receives a function that closes each part, in the order of opening. */
export async function openEmbedded(parts: EmbeddedParts, closers: Closer[]): Promise<Opened> {
  const { settings, observe, nowMs, metrics } = parts
  const storage = await openStorage(parts, closers)
  const sqlEngine = openEngine(parts, storage, closers)
  const { catalog, store } = storage
  const backups = await openBackups(parts, storage)
  const replica = await openReplica(parts, storage, closers)
  const { audit, newAdminKey } = await openAudit(parts, catalog, closers)
  const admission = new Admission(settings.limits, smallQueriesAhead)
  const limits = await openLimits(parts, storage, { replica, admission }, closers)
  const definitions = await Definitions.open(catalog.ingests)
  store.fieldsMade.onMade(() => definitions.refresh())
  closers.push(() => definitions.close())
  const access = await Access.open(catalog.access, nowMs)
  closers.push(() => access.close())
  const retentions = await openRetentions(parts, { storage, definitions }, closers)
  closers.push(repeatErasure(parts, storage))
  const live = new Live({ definitions, rows: store, positions: storage.live, nowMs, limits: settings.limits })
  let isWarming = false
  const services = await buildServices(
    {
      ...storageParts(parts, storage),
      ...languages(parts, storage, { definitions, sqlEngine }),
      ...{ audit, replica, admission, limits, definitions, access, retentions },
    },
    {
      ...{ cancelsElsewhere: null, live, backups, metrics, observe },
      readiness: () => ({
        ...readiness(storage, sqlEngine, isWarming),
        ...replicaOf(replica),
        ...readinessWarnings(limits, parts.failing),
      }),
    },
  )
  openHooks({ ...parts, catalog, definitions, progress: store.progress, queries: services.queries }, closers)
  const started = async (): Promise<void> => {
    await store.started()
    isWarming = true
    await warmUp({ ...services, definitions })
    isWarming = false
  }
  return { services, newAdminKey, started }
}

function openEngine(parts: EmbeddedParts, { store: { unsent } }: Storage, closers: Closer[]): SqlProcess {
  const { store, deltas, engine: scratchDirectory } = dataPaths(resolve(parts.settings.data))
  return openSqlEngine({ ...parts, unsent, directories: [store, deltas], scratchDirectory }, closers)
}

/** The parts that come from the data folder. */
function storageParts({ settings, nowMs, reach }: EmbeddedParts, storage: Storage) {
  const { catalog, readingCatalog, journal, keys, store } = storage
  return {
    ...{ settings, catalog, journal, keys, nowMs, reach },
    readItems: readingCatalog.items,
    storedSizes: (entityIds) => readingCatalog.manifest.sizes(entityIds),
    progress: store.progress,
    isQueryable: ({ position, rows }, signal) => store.progress.waitFor(position + rows, signal),
    // Validated rows are in the head, which queries read.
    unseen: async () => 0,
    replayIsQueryable: async () => undefined,
    runner: store,
    written: { unsent: store.unsent, settings: { sliceMs, spoolDirectory: dataPaths(resolve(settings.data)).spool } },
    deletions: {
      catalog: catalog.deletions,
      store: {
        delete: async (request, pushed) => store.delete({ ...request, pushed: await pushed() }),
        takeBack: (request) => store.takeBack(request),
      },
      pushed: (entityId, signal) => pushedBefore(storage, entityId, signal),
    },
    dropped: () => store.changed(),
    waitingSinceMs: () => null,
  } satisfies Partial<ServiceParts>
}

/** The languages that the store supports only in part: it runs the queries that it can, and the SQL engine runs the rest. */
function languages(
  { settings: { limits, sql }, observe, nowMs }: EmbeddedParts,
  { store, sqlCatalog }: Storage,
  { definitions, sqlEngine }: { readonly definitions: Definitions; readonly sqlEngine: SqlProcess },
): Pick<ServiceParts, 'sqlLanguage' | 'nativeLanguage'> {
  const damaged = ({ path, message }: { path: string; message: string }): void =>
    observe({ kind: 'fileDamaged', path, message })
  const rows = { store, snapshots: store, damaged }
  const metadata = { items: sqlCatalog.items, limits: sql }
  return {
    sqlLanguage: new SqlLanguage({ sqlEngine, limits, definitions, metadata, rows, nowMs }),
    nativeLanguage: nativeLanguage(definitions, new NativeOnOneMachine({ sqlEngine, limits, ...rows })),
  }
}

/** Where there is a replica, its levels are watched from its opening on. */
type ReplicaLevel = Extract<keyof Levels, `replica_${string}`>

/** Sources of levels in addition to the storage. */
interface WatchedParts {
  readonly replica: Copier | null
  readonly admission: Admission
}

async function openLimits(
  { settings, observe, metrics, nowMs, freeBytes }: EmbeddedParts,
  storage: Storage,
  { replica, admission }: WatchedParts,
  closers: Closer[],
): Promise<ServiceParts['limits']> {
  const { data, limits, journal } = settings
  const { catalog, store, keys } = storage
  const disk = new DiskFloor({
    freeBytes: () => freeBytes(data),
    floorBytes: journal.diskFloorBytes,
    warnBytes: journal.diskWarnBytes,
    disk: 'the disk of the service',
    observe,
  })
  const rejectedSpace = new RejectedSpace({
    rejected: catalog.rejected,
    progress: store.progress,
    rejectedRows: (ingestId) => rejectedRowsOf(store.progress, ingestId),
    bytesMax: limits.rejectedBytes,
  })
  const quarantineCount = new QuarantineCount(catalog.quarantine)
  const check = async (): Promise<void> => {
    await disk.refresh()
    await rejectedSpace.refresh()
    await quarantineCount.refresh()
  }
  await check()
  const failed = checkFailed(observe)
  closers.push(repeat(check, limits.checkMs, failed))
  const waiting = waitingIn(storage)
  const intake = openIntake({
    settings,
    progress: store.progress,
    disk,
    rejectedSpace,
    quarantineCount,
    waiting,
    nowMs,
  })
  const levels: Omit<Levels, 'waiting_entities' | ReplicaLevel> = {
    ...intake.levels,
    idempotency_keys: () => keys.size,
    idempotency_key_bytes: () => keys.bytes,
    journal_bytes: () => storage.journal.bytes,
    pending_rows: () => store.progress.pendingRows,
    live_readers: () => storage.live.readers,
    running_queries: () => admission.running,
    waiting_queries: () => admission.waiting,
    stored_files: () => store.state.files,
    stored_rows: () => store.state.rows,
    stored_bytes: () => store.state.bytes,
  }
  metrics.watch({ ...levels, ...replicaLevels(replica) })
  return intake.limits
}

/** NaN while the counters are not known after a start. */
function rejectedRowsOf(progress: Storage['store']['progress'], ingestId: number): number {
  try {
    return progress.counters(ingestId).rejected
  } catch {
    return Number.NaN
  }
}

/** The part of the journal that the store has not sealed, as if all rows had the same size. */
function waitingIn({ journal, store }: Storage) {
  const { firstPosition, durablePosition: endPosition, bytes } = journal
  const share = (endPosition - store.state.sealedPosition) / Math.max(1, endPosition - firstPosition)
  return { endPosition, bytes: Math.ceil(bytes * Math.min(1, share)) }
}

/** Rows that are due expire before the first query is run, and then whenever a day is over. */
async function openRetentions(
  { settings, observe, nowMs, reach }: EmbeddedParts,
  { storage, definitions }: { readonly storage: Storage; readonly definitions: Definitions },
  closers: Closer[],
): Promise<Retentions> {
  const { catalog, store } = storage
  const changed = (): Promise<void> => definitions.refresh()
  const rows = {
    changed: (): void => store.changed(),
    purge: (entityId: number): Promise<void> => store.purge(entityId, settings.limits.queryTimeMs),
  }
  const retentions = new Retentions({ ingests: catalog.ingests, store: rows, changed, nowMs, reach })
  const failed = checkFailed(observe)
  await retentions.check().catch(failed)
  closers.push(repeat(() => retentions.check(), settings.store.retentionCheckMs, failed))
  return retentions
}

/** Waits for validation, because validated rows are queryable. */
async function pushedBefore({ journal, store }: Storage, entityId: number, signal: AbortSignal) {
  const before = await journal.endPosition(entityId)
  await store.progress.waitFor(before, signal)
  return [{ from: 0, before }]
}

/** Permanently removes rows that were deleted long enough ago. */
function repeatErasure({ settings, observe, nowMs }: EmbeddedParts, { catalog, store, live }: Storage): () => void {
  const erase = async (): Promise<void> => {
    const now = nowMs()
    const erased = await catalog.deletions.erase(now - settings.deletions.eraseAfterMs, now)
    await live.forgetChanges()
    if (erased > 0) store.changed()
  }
  return repeat(erase, settings.store.retentionCheckMs, checkFailed(observe))
}

function replicaOf(replica: Copier | null): Pick<Readiness, 'replica'> {
  if (replica === null) return {}
  const { timeMs, ...state } = replica.state
  return { replica: { ...state, time: instantOrNull(timeMs) } }
}

/** The most small queries that may wait in the store's thread, which runs one after another. docs/decisions/queries.md */
const smallQueriesAhead = 32

const journalHasFailed =
  'The journal could not be written to disk: queries are answered, pushes are not accepted. Check the disk of the data folder, then start the service again.'

const answersItself =
  'The service asks itself a few questions before others do, for less than half a second. It answers all that come.'

function readiness({ journal, store }: Storage, sqlEngine: SqlProcess, isWarming: boolean): Readiness {
  const { hasFailed, recovery } = journal
  const reason = hasFailed ? journalHasFailed : (store.unavailableReason ?? (isWarming ? answersItself : null))
  return {
    ready: reason === null,
    reason,
    journal: { recovery: { ...recovery } },
    store: { ready: store.isReady, ...store.state },
    sql: { state: sqlEngine.state },
  }
}

// Opens the data folder: its ownership, its catalog, its journal and its store.

import { randomBytes } from 'node:crypto'
import { acknowledgedPositionOf } from '../catalog/acknowledged-position.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { takeOwnership } from '../catalog/sqlite/owner-lock.ts'
import { requireCatalog } from '../catalog/sqlite/require-catalog.ts'
import { openSqliteCatalog, type SqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import { dataPaths } from '../config/data-paths.ts'
import type { Settings } from '../config/settings.ts'
import { zoneFilesInForce } from '../druid-time/zone-rules.ts'
import { IdempotencyKeys } from '../ingest/idempotency/idempotency-keys.ts'
import { noteDeathIn } from '../ingest/quarantine/note-file.ts'
import { openFileJournal } from '../journal/file/file-journal.ts'
import { openFileJournalCursor } from '../journal/file/file-journal-cursor.ts'
import { requireJournal } from '../journal/file/require-journal.ts'
import type { LocalJournalWriter } from '../journal/journal.ts'
import { Trimmer } from '../journal/trimmer.ts'
import { restartDelayMs } from '../lib/actor/actor.ts'
import type { Disk } from '../lib/disk.ts'
import { narrowFolder } from '../lib/private-files.ts'
import { repeat } from '../lib/repeat.ts'
import { LiveCheckpoints, type LiveCheckpointsParts } from '../live/live-checkpoints.ts'
import type { ObjectStore } from '../object-store/object-store.ts'
import { checkFailed } from '../observe/check-failed.ts'
import type { Reach } from '../observe/crash-point.ts'
import type { Observe } from '../observe/event.ts'
import { StoreThread } from '../store-thread/main-side/store-thread.ts'

/** Closes one part. */
export type Closer = (stop: Stop) => unknown

export interface Stop {
  /** Aborted when nothing may be waited for any longer. */
  readonly atOnce: AbortSignal
  /** The time left of `server.shutdownMs`. */
  readonly leftMs: () => number
}

export interface Storage {
  readonly catalog: SqliteCatalog
  /** A connection that only reads, and never waits for a pending change. */
  readonly readingCatalog: Catalog
  /** A connection for SQL, which may keep a snapshot for as long as it reads a table of items. */
  readonly sqlCatalog: Catalog
  readonly journal: LocalJournalWriter
  readonly trimmer: Trimmer
  readonly keys: IdempotencyKeys
  readonly store: StoreThread
  /** The places from which readers of live rows may resume. */
  readonly live: LiveCheckpoints
}

export interface StorageParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly nowMs: () => number
  readonly threadUrl: URL
  readonly reach: Reach
  /** The disk of the journal and the idempotency keys. */
  readonly disk: Disk
  /** Wraps the store of the replica. */
  readonly wrapStore?: (store: ObjectStore) => ObjectStore
  /** The most pages of the catalog. */
  readonly catalogPagesMax?: number | undefined
}

interface KeyParts extends Pick<StorageParts, 'nowMs' | 'disk'> {
  readonly settings: Pick<Settings, 'data' | 'limits'>
}

/** At a stop, the share of the remaining time for sealing rows in memory. The rest is for the steps after it. */
const sealShare = 0.5

/** Throws an Error whose message says what the operator must do. `closers` receives a function that closes each part, in the order of opening. */
export async function openStorage(parts: StorageParts, closers: Closer[]): Promise<Storage> {
  const { settings, observe, reach, disk, catalogPagesMax: pagesMax } = parts
  const paths = dataPaths(settings.data)
  const ownership = takeOwnership(settings.data)
  closers.push(() => ownership.release())
  await restrictAccess(settings.data, observe)
  await requireCatalog(paths, disk)
  const catalog = await openSqliteCatalog({ path: paths.catalog, pagesMax })
  closers.push(() => catalog.close())
  const readingCatalog = await openSqliteCatalog({ path: paths.catalog, pagesMax })
  closers.push(() => readingCatalog.close())
  const sqlCatalog = await openSqliteCatalog({ path: paths.catalog, pagesMax })
  closers.push(() => sqlCatalog.close())
  const { sealedPosition } = await catalog.manifest.load()
  const acknowledgedPosition = await acknowledgedPositionOf(catalog)
  const journal = await openJournal(settings, paths.journal, { sealedPosition, acknowledgedPosition }, observe, disk)
  const noteEnd = (): Promise<void> =>
    catalog.manifest.noteJournalEnd(journal.durablePosition).catch(checkFailed(observe))
  closers.push(async () => {
    await journal.close()
    await noteEnd()
  })
  requireJournal(journal, sealedPosition, paths.journal)
  await noteEnd()
  const keys = await openKeys(parts, journal)
  closers.push(() => keys.close())
  const trimmer = new Trimmer({ journal, observe, reach })
  closers.push(() => trimmer.stop())
  const live = await openLivePositions(parts, {
    journal,
    catalog,
    sealedPosition,
    position: () => store.progress.processedThrough(),
  })
  trimmer.needs(() => live.neededPosition)
  journal.beforeTrim((position) => live.beforeTrim(position))
  const tick = async (): Promise<void> => {
    await live.tick()
    trimmer.again()
  }
  closers.push(repeat(tick, live.tickMs, checkFailed(observe)))
  const store: StoreThread = await startStore(parts, { durablePosition: journal.durablePosition, trimmer, live })
  closers.push(({ atOnce, leftMs }) => store.close(leftMs() * sealShare, atOnce))
  journal.onDurable((position) => store.durable(position))
  return { catalog, readingCatalog, sqlCatalog, journal, trimmer, keys, store, live }
}

function openLivePositions(
  { settings, nowMs, disk, observe }: StorageParts,
  known: Pick<LiveCheckpointsParts, 'journal' | 'sealedPosition' | 'position'> & { readonly catalog: Catalog },
): Promise<LiveCheckpoints> {
  const { live: path, journal: directory } = dataPaths(settings.data)
  return LiveCheckpoints.open({
    ...{ disk, path, nowMs, observe, keepMs: settings.limits.liveKeepMs, ingests: known.catalog.ingests },
    cursor: openFileJournalCursor({ disk, directory }, { bodies: 'passing' }),
    deletions: known.catalog.deletions,
    ...known,
  })
}

/** Restricts access to the folder: one that a tool copied may be open to all users of the machine. */
async function restrictAccess(data: string, observe: Observe): Promise<void> {
  const { changed, refused } = await narrowFolder(data)
  if (changed.length > 0) observe({ kind: 'permissionsTightened', files: changed.length })
  const [path] = refused
  if (path !== undefined) observe({ kind: 'permissionsTooOpen', path, files: refused.length })
}

/** The positions of the journal in the catalog. The journal is needed from `sealedPosition` on, and starts there when it is new. */
interface KnownPositions {
  readonly sealedPosition: number
  readonly acknowledgedPosition: number | null
}

export function openJournal(
  { journal }: Pick<Settings, 'journal'>,
  directory: string,
  { sealedPosition: reachedPosition, acknowledgedPosition }: KnownPositions,
  observe: Observe,
  disk: Disk,
): Promise<LocalJournalWriter> {
  const settings = {
    segmentBytes: journal.segmentBytes,
    batchBytesMax: journal.batchBytes,
    pendingBytesMax: journal.pendingBytes,
    apartBytesMin: journal.apartBytes,
  }
  return openFileJournal({ disk, directory, settings, observe, reachedPosition, acknowledgedPosition })
}

export async function openKeys(
  { settings, nowMs, disk }: KeyParts,
  journal: LocalJournalWriter,
): Promise<IdempotencyKeys> {
  const paths = dataPaths(settings.data)
  const { firstPosition, durablePosition } = journal
  const reader = openFileJournalCursor({ disk, directory: paths.journal })
  const keys = await IdempotencyKeys.open({
    disk,
    directory: paths.idempotency,
    newSalt: () => randomBytes(4).readUInt32LE(),
    nowMs,
    uptimeMs: () => performance.now(),
    keysMax: settings.limits.idempotencyKeys,
    journal: { firstPosition, durablePosition, reader },
  })
  await reader.close()
  journal.beforeTrim((position) => keys.beforeTrim(position))
  return keys
}

interface StoreParts extends Pick<Storage, 'trimmer' | 'live'> {
  readonly durablePosition: number
}

function startStore(
  { settings, observe, threadUrl }: StorageParts,
  { durablePosition, trimmer, live }: StoreParts,
): Promise<StoreThread> {
  const paths = dataPaths(settings.data)
  const data = {
    journalDirectory: paths.journal,
    catalogPath: paths.catalog,
    spoolDirectory: paths.spool,
    deltasDirectory: paths.deltas,
    storeDirectory: paths.store,
    validationNotePath: paths.validation,
    rowBytes: settings.limits.rowBytes,
    fieldsMax: settings.limits.fields,
    settings: settings.store,
    isSmall: settings.small,
    timeZones: zoneFilesInForce(),
  }
  return StoreThread.start(
    {
      threadUrl,
      data,
      observe,
      restartDelayMs,
      spool: settings.spool,
      sealed: (position) => trimmer.sealed(position),
      stored: (entityIds, fromPosition, toPosition) => live.stored(entityIds, fromPosition, toPosition),
      noteDeath: () => noteDeathIn(paths.validation),
    },
    durablePosition,
  )
}

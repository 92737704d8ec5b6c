// The store's thread. It follows the journal through the pipeline into the store, runs plans between two steps, and seals rows. It is
// a composition root of its own, as `src/service` is for the main thread.
import { setTimeout as sleep } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import { clearSpool } from '../../answer/spool.ts'
import type { Catalog, IngestCatalog } from '../../catalog/catalog.ts'
import type { Manifest } from '../../catalog/manifest.ts'
import { openSqliteCatalog } from '../../catalog/sqlite/sqlite-catalog.ts'
import { diskErrorOf } from '../../catalog/sqlite/statements.ts'
import { useZoneFiles } from '../../druid-time/zone-rules.ts'
import { Follower } from '../../ingest/follower.ts'
import { IngestCounts } from '../../ingest/ingest-counts.ts'
import { ItemValidator } from '../../ingest/item-validator.ts'
import { Pipeline, type PipelineParts } from '../../ingest/pipeline.ts'
import { NoteFile } from '../../ingest/quarantine/note-file.ts'
import { RowValidator } from '../../ingest/row-validator.ts'
import { openFileJournalCursor } from '../../journal/file/file-journal-cursor.ts'
import type { JournalCursor } from '../../journal/journal.ts'
import { type Disk, isDiskFull } from '../../lib/disk.ts'
import { collectGarbage, whenGrown, whenIdle } from '../../lib/garbage-collection.ts'
import { nodeDisk } from '../../lib/node-disk.ts'
import { BorrowedArrays, SpareBuffers } from '../../lib/spare-buffers.ts'
import { JournalRows } from '../../live/journal-rows.ts'
import { LiveFeed } from '../../live/live-feed.ts'
import { withoutStanding } from '../../live/without-deleted.ts'
import { Problem } from '../../model/problem.ts'
import { checkFailed } from '../../observe/check-failed.ts'
import type { Reach } from '../../observe/crash-point.ts'
import { ActiveDeletions } from '../../store/embedded/deletions/active-deletions.ts'
import { mayHaveSelected } from '../../store/embedded/deletions/taken-items.ts'
import type { Snapshots } from '../../store/embedded/deltas/snapshots.ts'
import { type OpenedStore, openStore } from '../../store/embedded/open-store.ts'
import { Expiry } from '../../store/embedded/upkeep/expiry.ts'
import { Removals } from '../../store/embedded/upkeep/removals.ts'
import { Upkeep, type UpkeepParts } from '../../store/embedded/upkeep/upkeep.ts'
import type { Awaited, StoreThreadData, ToStore } from '../protocol.ts'
import { CatalogChanges } from './catalog-changes.ts'
import { type Channel, openChannel } from './channel.ts'
import { FieldsPublished } from './fields-published.ts'
import { openSnapshots } from './open-snapshots.ts'
import { Requests } from './store-requests.ts'
import { dispatcherOf } from './take-messages.ts'
import { WrittenEntities } from './written-entities.ts'

/** Parts that a test may replace. */
export interface StoreThreadOverrides {
  readonly wrapJournal?: (journal: JournalCursor) => JournalCursor
  readonly wrapValidator?: (validator: PipelineParts['validator']) => PipelineParts['validator']
  readonly reach?: Reach
  readonly disk?: Disk
  /** The most pages of the catalog, in this thread. */
  readonly catalogPagesMax?: number
}

/** Runs until it receives a `close` message. */
export async function runStoreThread(
  port: MessagePort,
  data: StoreThreadData,
  overrides: StoreThreadOverrides = {},
): Promise<void> {
  useZoneFiles(data.timeZones)
  const garbage = collectGarbage(data.isSmall ? whenGrown : whenIdle)
  const stopping = new AbortController()
  const upkeepEnd = new AbortController()
  const { reach = () => undefined, disk = nodeDisk } = overrides
  const base: ThreadBase = { data, reach, disk, stopping, ...openChannel(port, awaitedAfter) }
  const { outbox, send, observe } = base
  const sources = await openSources(base, overrides)
  const { manifest, opened, pipeline } = sources
  setInterval(() => garbage.noteGarbage(opened.folder.dropUnused()), unusedMs).unref()
  const snapshots = await openSnapshots(data, { disk, ...opened, observe })
  const counts = new IngestCounts(manifest.counts)
  const { removals, expiry, upkeep } = await openUpkeep(base, sources, {
    snapshots,
    durablePosition: () => follower.durablePosition,
    wake: () => follower.wake(),
    signal: upkeepEnd.signal,
  })
  const live = openLive(base, sources)
  const follower = openFollower(base, sources, { counts, upkeep, live })
  const changes = openChanges(base, sources, { expiry, upkeep, live })
  const { store } = opened
  const requests = new Requests({ store, disk, spoolDirectory: data.spoolDirectory, observe, snapshots, outbox })
  const take = dispatcherOf({
    ...{ send, requests: requests, follower, removals, changes, live, upkeep },
    stop: (sealMs) => {
      const isStopped = new Error('the store is stopped')
      stopping.abort(isStopped)
      setTimeout(() => upkeepEnd.abort(isStopped), sealMs).unref()
    },
    position: () => pipeline.position,
    stepPosition: () => pipeline.stepPosition,
    fieldsKnown: () => sources.fields.known(),
  })
  port.on('message', (messages: readonly ToStore[]) => {
    for (const message of messages) take(message)
  })
  send({ kind: 'begun', state: upkeep.state, counts: manifest.counts })
  upkeep.work()
  await follower.follow()
  await live.stop()
  await upkeep.sealRest(pipeline.position, pipeline.validatedBytes, () => counts.takeChanged())
  upkeepEnd.abort()
  await upkeep.stop()
  await removals.settle()
  await expiry.settle()
  await sources.close()
  outbox.flush()
  port.close()
}

interface ThreadBase extends Channel {
  readonly data: StoreThreadData
  readonly reach: Reach
  readonly disk: Disk
  readonly stopping: AbortController
}

interface Sources {
  readonly catalog: Catalog
  readonly manifest: Manifest
  readonly standing: ActiveDeletions
  readonly opened: OpenedStore
  readonly pipeline: Pipeline
  readonly batchArrays: BorrowedArrays
  readonly fields: FieldsPublished
  readonly written: WrittenEntities
  readonly close: () => Promise<void>
}

/** The catalog, the journal, the store, and the pipeline between them. */
async function openSources(
  { data, send, observe, reach, disk, stopping }: ThreadBase,
  {
    wrapJournal = (journal) => journal,
    wrapValidator = (validator) => validator,
    catalogPagesMax: pagesMax,
  }: StoreThreadOverrides,
): Promise<Sources> {
  const catalog = await openSqliteCatalog({ path: data.catalogPath, pagesMax })
  const folderOfJournal = { disk, directory: data.journalDirectory }
  const journal = wrapJournal(openFileJournalCursor(folderOfJournal, { bodies: 'passing' }))
  const manifest = await catalog.manifest.load()
  const { rowBytes, fieldsMax, settings, storeDirectory: directory, isHeld } = data
  const fields = new FieldsPublished(() => send({ kind: 'fieldsMade' }), stopping.signal)
  const replacing = await replacingEntities(catalog.ingests)
  const settle = (): Promise<void> => catalog.manifest.settle()
  const deletions = { all: await catalog.deletions.all(), vectors: await catalog.deletions.vectors() }
  const standing = new ActiveDeletions(deletions.all, await catalog.deletions.changes())
  const opened = await openStore({ disk, directory, settings, manifest, deletions, settle, replacing, isHeld, observe })
  await clearSpool(data.spoolDirectory, disk)
  const batchArrays = new BorrowedArrays(new SpareBuffers(batchMemory))
  const notes = await NoteFile.open(disk, data.validationNotePath)
  const written = new WrittenEntities(opened.store)
  const pipeline = await Pipeline.open({
    ingests: catalog.ingests,
    outcomes: catalog.outcomes,
    quarantine: catalog.quarantine,
    dropped: catalog.dropped,
    journal,
    notes,
    nowMs: Date.now,
    validator: wrapValidator(new RowValidator({ rowBytes, arrays: batchArrays })),
    itemValidator: new ItemValidator({ rowBytes }),
    open: { ingests: catalog.ingests, fieldsMax, made: () => fields.published() },
    standing: {
      of: (entityId) => standing.of(entityId),
      mayHaveSelected: (entityId, ...item) =>
        mayHaveSelected(opened.store.files(entityId), opened.store.registry(entityId), ...item),
    },
    store: written,
    observe,
    reach,
    stepBytes: settings.stepBytes,
    stepRows: settings.stepRows,
    countedPosition: data.countedPosition,
  })
  const close = async (): Promise<void> => {
    await journal.close()
    await notes.close()
    await catalog.close()
  }
  return { catalog, manifest, standing, opened, pipeline, batchArrays, fields, written, close }
}

interface ChangedParts {
  readonly expiry: Expiry
  readonly upkeep: Upkeep
  readonly live: LiveFeed
}

function openChanges(
  { data, observe, stopping: { signal } }: ThreadBase,
  { pipeline }: Sources,
  { expiry, upkeep, live }: ChangedParts,
): CatalogChanges {
  return new CatalogChanges({
    // The pipeline first: it must not write rows of an entity that is being removed.
    read: async () => {
      await pipeline.refresh()
      await expiry.refresh()
      await upkeep.refreshDeletions()
      await live.refresh()
      upkeep.work()
    },
    failed: checkFailed(observe),
    retryDelayMs: data.settings.retryDelayMs,
    signal,
  })
}

/** Uses a separate cursor and validator, so that reading the journal again does not disturb the pipeline. */
function openLive(
  { data, send, observe, disk, stopping: { signal } }: ThreadBase,
  { catalog, standing, opened: { store }, pipeline }: Sources,
): LiveFeed {
  const { rowBytes, fieldsMax, journalDirectory: directory, settings } = data
  const rows = new JournalRows({
    ingests: catalog.ingests,
    dropped: catalog.dropped,
    outcomes: catalog.outcomes,
    journal: openFileJournalCursor({ disk, directory }, { bodies: 'passing' }),
    validator: new RowValidator({ rowBytes, ...liveMemory }),
    itemValidator: new ItemValidator({ rowBytes }),
    // The pipeline has read these entries already, so the fields exist.
    open: { ingests: catalog.ingests, fieldsMax, made: async () => undefined },
    decision: (position) => pipeline.decision(position),
  })
  return new LiveFeed({
    rows,
    position: () => pipeline.position,
    deletions: {
      changesOf: (entityId) => standing.changesOf(entityId),
      firstPendingPosition: (entityId) => standing.firstPendingPosition(entityId),
      seen: (stored) => withoutStanding(stored, standing.of(stored.batch.entityId)),
    },
    store,
    send: (news) => send({ kind: 'live', message: news }),
    observe,
    signal,
    retryDelayMs: settings.retryDelayMs,
  })
}

interface UpkeepNeeds extends Pick<UpkeepParts, 'durablePosition' | 'wake' | 'signal'> {
  readonly snapshots: Snapshots
}

async function openUpkeep(
  { data, send, observe, stuck, reach }: ThreadBase,
  { catalog, standing, opened }: Sources,
  { snapshots, durablePosition, wake, signal }: UpkeepNeeds,
) {
  const removals = new Removals({
    removeFile: (file) => opened.folder.remove(file),
    removeEntity: opened.removeEntity,
    isHeld: data.isHeld,
    observe,
    reach,
  })
  const expiry = await Expiry.open({ ...catalog, observe, reach, signal })
  const upkeep: Upkeep = new Upkeep({
    ...opened,
    manifest: catalog.manifest,
    deletions: catalog.deletions,
    standing,
    removals,
    expiry,
    settings: data.settings,
    observe,
    reach,
    signal,
    // While memory has capacity, nothing waits for a seal.
    stuck: (error) => {
      if (upkeep.isFull) stuck(error)
    },
    changed: () => {
      send({ kind: 'state', state: upkeep.state })
      snapshots.prune()
    },
    durablePosition,
    wake,
  })
  await upkeep.refreshDeletions()
  return { removals, expiry, upkeep }
}

function openFollower(
  { data, send, observe, stuck, stopping }: ThreadBase,
  { pipeline, batchArrays, written }: Sources,
  { counts, upkeep, live }: { readonly counts: IngestCounts; readonly upkeep: Upkeep; readonly live: LiveFeed },
): Follower {
  const { retryDelayMs } = data.settings
  return new Follower(
    {
      pipeline,
      stepped: (tallies) => {
        // The store has copied its rows.
        batchArrays.giveBack()
        counts.add(tallies)
        send({ kind: 'progress', position: pipeline.position, tallies, entityIds: written.take() })
        live.moved()
      },
      mustWait: () => {
        upkeep.afterStep(pipeline.position, pipeline.validatedBytes, () => counts.takeChanged())
        return upkeep.isFull
      },
      caughtUp: () => send({ kind: 'ready' }),
      unavailable: async (problem) => {
        observe({ kind: 'validationFailed', message: problem.message, retryInMs: retryDelayMs })
        stuck(problem)
        await sleep(retryDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      },
    },
    data.durablePosition,
  )
}

/** The most strings that the second reading remembers. */
const liveMemory = { rememberedStringsMax: 1 << 16, rememberedBytesMax: 32 << 20 }

/** Data read from files is dropped when it has not been used for this time, or for up to twice as long. */
const unusedMs = 60_000

/** Memory for the columns of one step of the pipeline. */
const batchMemory = { bytesMin: 4096, bytesMax: 16 * 1024 * 1024, idleMs: 10_000 }

/** The condition that must be met before a failed step can succeed. */
function awaitedAfter(error: unknown): Awaited {
  return isDiskFull(error instanceof Problem ? diskErrorOf(error.cause) : error) ? 'space' : 'disk'
}

/** The entities in which newer rows replace older ones. An entity never changes this; entities that are created later are recognized by their rows. */
async function replacingEntities(ingests: Pick<IngestCatalog, 'entities'>): Promise<ReadonlySet<number>> {
  const entities = await ingests.entities()
  return new Set(entities.filter(({ duplicates }) => duplicates === 'replace').map(({ id }) => id))
}

// The store's thread: follows the journal through the pipeline into the store, answers plans between two steps of it, and brings rows to
// rest. It is a composition root of its own, as `src/service` is for the main thread.
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import { clearSpool } from '../../answer/spool.ts'
import type { IngestCatalog } from '../../catalog/catalog.ts'
import { openSqliteCatalog } from '../../catalog/sqlite/sqlite-catalog.ts'
import { diskErrorOf } from '../../catalog/sqlite/statements.ts'
import { Follower } from '../../ingest/follower.ts'
import { IngestCounts } from '../../ingest/ingest-counts.ts'
import { Judge } from '../../ingest/judge.ts'
import { ItemJudge } from '../../ingest/judge-items.ts'
import { Pipeline, type PipelineParts } from '../../ingest/pipeline.ts'
import { NoteFile } from '../../ingest/set-aside/note-file.ts'
import { openFileJournalReader } from '../../journal/file/reader.ts'
import type { JournalReader } from '../../journal/journal.ts'
import { type Disk, isDiskFull } from '../../lib/disk.ts'
import { nodeDisk } from '../../lib/node-disk.ts'
import { BorrowedArrays, SpareBuffers } from '../../lib/spare-buffers.ts'
import { Problem } from '../../model/problem.ts'
import { checkFailed } from '../../observe/check-failed.ts'
import type { Observe } from '../../observe/event.ts'
import type { Reach } from '../../observe/step.ts'
import { Snapshots } from '../../store/embedded/deltas/snapshots.ts'
import { type OpenedStore, openStore } from '../../store/embedded/open-store.ts'
import { Departures } from '../../store/embedded/upkeep/departures.ts'
import { Removals } from '../../store/embedded/upkeep/removals.ts'
import { Upkeep } from '../../store/embedded/upkeep/upkeep.ts'
import { Outbox } from '../outbox.ts'
import type { Awaited, FromStore, StoreThreadData, ToStore } from '../protocol.ts'
import { sentError } from '../sent-error.ts'
import { Asks } from './asks.ts'
import { CatalogChanges } from './changes.ts'

/** Parts that a test may put in place of the real ones. */
export interface StoreThreadOverrides {
  readonly wrapJournal?: (journal: JournalReader) => JournalReader
  readonly wrapJudge?: (judge: PipelineParts['judge']) => PipelineParts['judge']
  readonly reach?: Reach
  readonly disk?: Disk
  /** The catalog takes no more room than so many pages, in this thread. */
  readonly catalogPagesMax?: number
}

export async function runStoreThread(
  port: MessagePort,
  data: StoreThreadData,
  {
    wrapJournal = (journal) => journal,
    wrapJudge = (judge) => judge,
    reach = () => undefined,
    disk = nodeDisk,
    catalogPagesMax: pagesMax,
  }: StoreThreadOverrides = {},
): Promise<void> {
  const outbox = new Outbox<FromStore>(port)
  const send = (message: FromStore): void => {
    outbox.push(message)
    outbox.flush()
  }
  const observe: Observe = (event) => send({ kind: 'event', event })
  const stuck = (error: unknown): void => send({ kind: 'waits', awaited: awaitedAfter(error) })
  const catalog = await openSqliteCatalog({ path: data.catalogPath, pagesMax })
  const folderOfJournal = { disk, directory: data.journalDirectory }
  const journal = wrapJournal(openFileJournalReader(folderOfJournal, { bodies: 'passing' }))
  const manifest = await catalog.manifest.load()
  const { rowBytes, settings, storeDirectory: directory, isHeld } = data
  const replacing = await replacingEntities(catalog.ingests)
  const settle = (): Promise<void> => catalog.manifest.settle()
  const opened = await openStore({ disk, directory, settings, manifest, settle, replacing, isHeld, observe })
  const { store, folder } = opened
  await clearSpool(data.spoolDirectory, disk)
  const batchArrays = new BorrowedArrays(new SpareBuffers(batchMemory))
  const notes = await NoteFile.open(disk, data.judgingPath)
  const pipeline = await Pipeline.open({
    journal,
    ingests: catalog.ingests,
    outcomes: catalog.outcomes,
    setAside: catalog.setAside,
    notes,
    nowMs: Date.now,
    dropped: catalog.dropped,
    judge: wrapJudge(new Judge({ rowBytes, arrays: batchArrays })),
    itemJudge: new ItemJudge({ rowBytes }),
    store,
    observe,
    reach,
    stepBytes: settings.stepBytes,
    stepRows: settings.stepRows,
    countedPosition: data.countedPosition,
  })
  const snapshots = await openSnapshots(data, { disk, store, folder, observe })
  const counts = new IngestCounts(manifest.counts)
  const stopping = new AbortController()
  const removals = new Removals({
    removeFile: (file) => folder.remove(file),
    removeEntity: opened.removeEntity,
    isHeld,
    observe,
    reach,
  })
  const departures = await Departures.open({ ...catalog, observe, reach, signal: stopping.signal })
  const upkeep = new Upkeep({
    ...opened,
    manifest: catalog.manifest,
    removals,
    departures,
    settings,
    observe,
    reach,
    signal: stopping.signal,
    // As long as there is room in memory, nothing waits for it.
    stuck: (error) => {
      if (upkeep.isFull) stuck(error)
    },
    changed: () => {
      send({ kind: 'state', state: upkeep.state })
      snapshots.prune()
    },
    durablePosition: () => follower.durablePosition,
    wake: () => follower.wake(),
  })
  const follower = new Follower(
    {
      pipeline,
      stepped: (tallies) => {
        // The store has copied its rows.
        batchArrays.giveBack()
        counts.add(tallies)
        send({ kind: 'progress', position: pipeline.position, tallies })
      },
      mustWait: () => {
        upkeep.afterStep(pipeline.position, pipeline.judgedBytes, () => counts.takeChanged())
        return upkeep.isFull
      },
      caughtUp: () => send({ kind: 'ready' }),
      unavailable: async (problem) => {
        const { retryDelayMs } = settings
        observe({ kind: 'judgeFailed', message: problem.message, retryInMs: retryDelayMs })
        stuck(problem)
        await sleep(retryDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      },
    },
    data.durablePosition,
  )
  const changes = new CatalogChanges({
    // The pipeline first: it must not write rows of an entity that is being removed.
    read: async () => {
      await pipeline.refresh()
      await departures.refresh()
      upkeep.work()
    },
    failed: checkFailed(observe),
    retryDelayMs: settings.retryDelayMs,
    signal: stopping.signal,
  })
  const answer = (id: number, done: FromStore, work: Promise<void>): void => {
    work.then(
      () => send(done),
      (error: unknown) => send({ kind: 'failed', id, error: sentError(error) }),
    )
  }
  /** What has left is to be known before it is looked for. */
  const purge = async (entityId: number): Promise<void> => {
    await changes.learn()
    await upkeep.purge(entityId, pipeline.position)
  }
  const asks = new Asks({ store, snapshots, disk, spoolDirectory: data.spoolDirectory, outbox, observe })
  const take = (message: ToStore) => {
    switch (message.kind) {
      case 'durable':
        return follower.durable(message.position)
      case 'hold':
        return answer(message.id, { kind: 'held', id: message.id }, removals.hold())
      case 'release':
        return removals.release()
      case 'changed':
        return void changes.learn()
      case 'purge':
        return answer(message.id, { kind: 'purged', id: message.id }, purge(message.entityId))
      case 'close':
        stopping.abort(new Error('the store is stopped'))
        return follower.stop()
      default:
        return asks.take(message)
    }
  }
  port.on('message', (messages: readonly ToStore[]) => {
    for (const message of messages) take(message)
  })
  send({ kind: 'begun', state: upkeep.state, counts: manifest.counts })
  upkeep.work()
  await follower.follow()
  await upkeep.stop()
  await removals.settle()
  await departures.settle()
  await journal.close()
  await notes.close()
  await catalog.close()
  outbox.flush()
  port.close()
}

/** The columns of one step of the pipeline. */
const batchMemory = { bytesMin: 4096, bytesMax: 16 * 1024 * 1024, idleMs: 10_000 }

interface SnapshotSources extends Pick<OpenedStore, 'store' | 'folder'> {
  readonly disk: Disk
  readonly observe: Observe
}

/** How long the writing of rows for the SQL engine may hold up the others. */
const snapshotSliceMs = 2

async function openSnapshots(
  { deltasDirectory, settings }: StoreThreadData,
  { disk, store, folder, observe }: SnapshotSources,
): Promise<Snapshots> {
  // The engine has a working folder of its own, and needs whole paths.
  const directory = resolve(deltasDirectory)
  await disk.removeFolder(directory)
  await disk.makeDirectory(directory)
  return new Snapshots({
    store,
    folder: { disk, directory, newName: randomUUID, filesMax: settings.deltaFiles },
    describe: (file) => {
      const { paths, fields } = folder.describe(file)
      return { path: resolve(paths.parquet), checkedBy: resolve(paths.index), fields }
    },
    sliceMs: snapshotSliceMs,
    removalFailed: (name, error) => observe({ kind: 'removalFailed', name, message: String(error) }),
  })
}

/** What has to come before a step that failed can succeed. */
function awaitedAfter(error: unknown): Awaited {
  return isDiskFull(error instanceof Problem ? diskErrorOf(error.cause) : error) ? 'room' : 'disk'
}

/** An entity never changes from one to the other; those that are made later are told by their rows. */
async function replacingEntities(ingests: Pick<IngestCatalog, 'entities'>): Promise<ReadonlySet<number>> {
  const entities = await ingests.entities()
  return new Set(entities.filter(({ duplicates }) => duplicates === 'replace').map(({ id }) => id))
}

// The store's thread on a simulated disk: composed as in src/store-thread/worker-side/run-store-thread.ts, but without a thread.

import { setImmediate } from 'node:timers/promises'
import type { Manifest, ManifestCatalog } from '../../src/catalog/manifest.ts'
import { Follower } from '../../src/ingest/follower.ts'
import { IngestCounts } from '../../src/ingest/ingest-counts.ts'
import { ItemValidator } from '../../src/ingest/item-validator.ts'
import { Pipeline } from '../../src/ingest/pipeline.ts'
import { RowValidator } from '../../src/ingest/row-validator.ts'
import { openFileJournalCursor } from '../../src/journal/file/file-journal-cursor.ts'
import type { JournalCursor } from '../../src/journal/journal.ts'
import type { Disk } from '../../src/lib/disk.ts'
import type { CrashPoint } from '../../src/observe/crash-point.ts'
import type { Observe } from '../../src/observe/event.ts'
import { ActiveDeletions } from '../../src/store/embedded/deletions/active-deletions.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { openStore } from '../../src/store/embedded/open-store.ts'
import type { SealedFile } from '../../src/store/embedded/reading/sealed-source.ts'
import type { OpenBlocking } from '../../src/store/embedded/sealed/blocking-file.ts'
import { Expiry } from '../../src/store/embedded/upkeep/expiry.ts'
import { Removals } from '../../src/store/embedded/upkeep/removals.ts'
import type { StoreState } from '../../src/store/embedded/upkeep/upkeep.ts'
import { Upkeep } from '../../src/store/embedded/upkeep/upkeep.ts'
import type { SeriesWriter } from '../../src/store/series-store.ts'
import type { Counters } from '../../src/store-thread/main-side/counters.ts'
import type { StoreSettings } from '../../src/store-thread/protocol.ts'
import { noQuarantine } from '../support/no-quarantine.ts'
import type { Random } from '../support/random.ts'
import type { SimulatedDisk } from '../support/simulated-disk.ts'
import { withFiles } from './sabotage.ts'
import type { CatalogConnection, CatalogOnDisk } from './simulated-catalog.ts'

export const journalDirectory = '/data/journal'
export const storeDirectory = '/data/store'

type PipelineCatalog = Omit<CatalogConnection, 'manifest'>

/** Wrappers between the parts and the disk or the catalog, for planted bugs. */
export interface Sabotage {
  readonly disk?: (disk: Disk) => Disk
  readonly manifest?: (manifest: ManifestCatalog) => ManifestCatalog
  readonly catalog?: (catalog: PipelineCatalog) => PipelineCatalog
  /** `trim` deletes validated entries from the journal. */
  readonly reach?: (step: CrashPoint, trim: () => Promise<void>) => void
  readonly writer?: (store: EmbeddedStore) => SeriesWriter
}

export interface ThreadParts {
  readonly disk: SimulatedDisk
  readonly catalog: CatalogOnDisk
  readonly random: Random
  readonly settings: StoreSettings
  readonly sabotage: Sabotage
  /** One in this many writes of the store's files finds no space. */
  readonly fullIn: number
  readonly counters: Counters
  readonly observe: Observe
  readonly durablePosition: number
  readonly sealed: (state: StoreState) => void
  readonly trim: (position: number) => Promise<void>
}

interface ThreadWork {
  readonly expiry: Expiry
  readonly upkeep: Upkeep
  end(): void
  close(): Promise<void>
}

export class SimulatedThread {
  readonly store: EmbeddedStore
  /** Rejects when the thread dies of an error; resolves when it is closed. */
  readonly followed: Promise<void>
  readonly #pipeline: Pipeline
  readonly #follower: Follower
  readonly #expiry: Expiry
  readonly #upkeep: Upkeep
  readonly #end: () => void
  readonly #close: () => Promise<void>

  private constructor(
    store: EmbeddedStore,
    pipeline: Pipeline,
    follower: Follower,
    { expiry, upkeep, ...ends }: ThreadWork,
  ) {
    this.store = store
    this.#pipeline = pipeline
    this.#follower = follower
    this.#expiry = expiry
    this.#upkeep = upkeep
    this.#end = ends.end
    this.#close = ends.close
    this.followed = follower.follow()
  }

  static async open(parts: ThreadParts, ended: AbortController): Promise<SimulatedThread> {
    const { settings, observe, sabotage, counters } = parts
    const disk = (sabotage.disk ?? same)(troubled(parts, parts.disk.mount(ended.signal)))
    const { manifest: plainManifest, ...plainCatalog } = parts.catalog.connect(ended.signal)
    const catalog = sabotage.catalog?.(plainCatalog) ?? plainCatalog
    const manifestCatalog = sabotage.manifest?.(plainManifest) ?? plainManifest
    const manifest = await manifestCatalog.load()
    const opened = await openFolder(parts, disk, manifest, {
      settle: () => manifestCatalog.settle(),
      replacing: await replacingOf(catalog),
    })
    const { store, removeEntity } = opened
    const journal = openFileJournalCursor({ disk, directory: journalDirectory })
    const pipeline = await openPipeline(parts, catalog, journal, store)
    const counts = new IngestCounts(manifest.counts)
    const stopping = new AbortController()
    const reach = (step: CrashPoint): void => sabotage.reach?.(step, () => parts.trim(pipeline.position))
    const removeFile = (file: SealedFile): Promise<void> => opened.folder.remove(file)
    const removals = new Removals({ removeFile, removeEntity, isHeld: false, observe, reach })
    const expiry = await Expiry.open({ ...catalog, observe, reach, signal: stopping.signal })
    const upkeep = new Upkeep({
      ...opened,
      manifest: manifestCatalog,
      deletions: catalog.deletions,
      standing: new ActiveDeletions([], []),
      removals,
      expiry,
      settings,
      observe,
      reach,
      signal: stopping.signal,
      // A timer would make each run of a seed different.
      sleep: () => setImmediate(),
      changed: () => parts.sealed(upkeep.state),
      durablePosition: () => follower.durablePosition,
      wake: () => follower.wake(),
    })
    const follower = new Follower(
      {
        pipeline,
        stepped: (tallies) => {
          counts.add(tallies)
          counters.validated(tallies)
        },
        mustWait: () => {
          upkeep.afterStep(pipeline.position, pipeline.validatedBytes, () => counts.takeChanged())
          return upkeep.isFull
        },
        caughtUp: () => undefined,
        // An in-memory catalog reports failures in other ways.
        unavailable: (problem) => Promise.reject(problem),
      },
      parts.durablePosition,
    )
    counters.restart(manifest.counts)
    parts.sealed(upkeep.state)
    upkeep.work()
    const thread = new SimulatedThread(store, pipeline, follower, {
      expiry,
      upkeep,
      end: () => {
        ended.abort()
        stopping.abort()
        void upkeep.stop()
      },
      close: async () => {
        stopping.abort()
        follower.stop()
        await thread.followed
        await upkeep.stop()
        await removals.settle()
        await expiry.settle()
        await journal.close()
      },
    })
    return thread
  }

  get processedPosition(): number {
    return this.#pipeline.position
  }

  durable(position: number): void {
    this.#follower.durable(position)
  }

  /** Reacts like the thread when it is notified that the catalog has changed. */
  async learnChanges(): Promise<void> {
    await this.#pipeline.refresh()
    await this.#expiry.refresh()
    this.#upkeep.work()
  }

  purge(entityId: number): Promise<void> {
    return this.#upkeep.purge(entityId, this.#pipeline.position, Number.POSITIVE_INFINITY)
  }

  /** Stops all work. */
  end(): void {
    this.#end()
  }

  close(): Promise<void> {
    return this.#close()
  }
}

function openFolder(
  { random, disk: simulated, settings, observe }: ThreadParts,
  disk: Disk,
  manifest: Manifest,
  { settle, replacing }: { readonly settle: () => Promise<void>; readonly replacing: ReadonlySet<number> },
) {
  const folder = { openBlocking: blocking(simulated), randomBytes: randomBytesOf(random), writing: smallPages }
  return openStore({
    disk,
    directory: storeDirectory,
    settings,
    manifest,
    settle,
    replacing,
    isHeld: false,
    observe,
    memory: { chunkRows: 16 },
    folder,
  })
}

async function replacingOf({ ingests }: PipelineCatalog): Promise<ReadonlySet<number>> {
  const entities = await ingests.entities()
  return new Set(entities.filter(({ duplicates }) => duplicates === 'replace').map(({ id }) => id))
}

function openPipeline(
  { settings, observe, sabotage }: ThreadParts,
  catalog: PipelineCatalog,
  journal: JournalCursor,
  store: EmbeddedStore,
): Promise<Pipeline> {
  return Pipeline.open({
    ...catalog,
    ...noQuarantine,
    journal,
    validator: new RowValidator({ rowBytes: 10_000 }),
    itemValidator: new ItemValidator({ rowBytes: 10_000 }),
    store: sabotage.writer?.(store) ?? store,
    observe,
    reach: () => undefined,
    stepBytes: settings.stepBytes,
    stepRows: settings.stepRows,
  })
}

/** Sizes small enough that a few rows make several pages and row groups, with every part of the index. */
const smallPages = { pageRows: 16, sharedPageRows: 8, groupRows: 64, hourRowsMin: 1, tailRowsMin: 1 }

/** Adds faults to the store's files: faults of the whole disk mostly hit the journal, which is written most. */
function troubled({ random, fullIn }: ThreadParts, disk: Disk): Disk {
  const trouble = withFiles((file, path) => {
    if (!path.startsWith(storeDirectory)) return {}
    return {
      write: async (buffers, offset) => {
        if (random.below(fullIn) === 0) throw new Error(`ENOSPC: simulated, write ${path}`)
        await file.write(buffers, offset)
      },
    }
  })
  return trouble(disk)
}

function same(disk: Disk): Disk {
  return disk
}

function randomBytesOf(random: Random): (count: number) => Uint8Array {
  return (count) => Uint8Array.from({ length: count }, () => random.below(256))
}

function blocking(disk: SimulatedDisk): OpenBlocking {
  return (path) => {
    const bytes = disk.contents(path)
    return {
      size: () => bytes.length,
      read: (buffer, count, offset) => bytes.subarray(offset, offset + count).copy(buffer),
      close: () => undefined,
    }
  }
}

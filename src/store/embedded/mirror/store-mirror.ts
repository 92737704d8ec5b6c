import { ChangeCounts, type SharedCounts } from '../../../lib/change-counts.ts'
import type { Disk } from '../../../lib/disk.ts'
import type { Range } from '../../../model/plan.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import type { EmbeddedStore, EmbeddedStoreSettings } from '../embedded-store.ts'
import type { SealedFileInfo } from '../reading/sealed-source.ts'
import { restoreSeries } from '../registry/registry-format.ts'
import { BriefPacer } from './brief-pacer.ts'
import type { EntityNews, MirrorNews } from './mirror-news.ts'
import { SealedMirror } from './sealed-mirror.ts'
import { WarmFiles } from './warm-files.ts'

export interface StoreMirrorOptions {
  readonly disk: Disk
  /** Of the sealed files. */
  readonly directory: string
  readonly pageCacheBytes: number
  readonly indexCacheBytes: number
  /** Where the store counts the changes of its rows. */
  readonly changes: SharedCounts
  /** Told of each removed file once nobody reads it here. */
  readonly gone: (info: SealedFileInfo) => void
  /** A run that takes longer ends; as long as a store works without a rest, where none is given. */
  readonly sliceMs?: number
}

/** What is here of an entity. */
interface Followed {
  /** What was counted of it. Where the store has counted the same, nothing is missing here. */
  readonly counts: ChangeCounts
  /** Dates of rows in memory that are missing all the same. */
  untold: Range | null
}

/**
 * The rows of some entities of a store that another thread keeps: their files, and the rows in memory that it was told of. It says itself what it knows
 * as well as the store does.
 */
export class StoreMirror {
  readonly #sealed: SealedMirror
  readonly #gone: StoreMirrorOptions['gone']
  /** What the store has counted. */
  readonly #counted: ChangeCounts
  readonly #followed = new Map<number, Followed>()
  /** Those that could not be followed. */
  readonly #failed = new Set<number>()
  readonly #waiting: MirrorNews[] = []
  #isWorking = false
  #isClosed = false

  constructor({ disk, directory, pageCacheBytes, indexCacheBytes, changes, gone, sliceMs }: StoreMirrorOptions) {
    this.#counted = new ChangeCounts(changes)
    this.#gone = gone
    this.#sealed = new SealedMirror({
      ...{ disk, directory, pageCacheBytes, indexCacheBytes, gone },
      openBlocking: new WarmFiles(disk).open,
      settings: {
        changes: this.#counting,
        newPacer: (options) => new BriefPacer(options),
        ...(sliceMs === undefined ? {} : { sliceMs }),
      },
    })
  }

  /** To be asked for what `isCurrent` says. A run that would take long, or wait for the disk, throws an Error. */
  get store(): EmbeddedStore {
    return this.#sealed.store
  }

  /** Whether all rows of these dates are here that the store answers with now. */
  isCurrent(entityId: number, dates: Range): boolean {
    const followed = this.#followed.get(entityId)
    if (followed === undefined) return false
    const { counts, untold } = followed
    if (untold !== null && untold.fromMs <= dates.toMs && untold.toMs >= dates.fromMs) return false
    return this.#counted.state(entityId, dates) === counts.state(entityId, dates)
  }

  /** Takes news in their order. They are known at once, unless something has to be read from the disk first. */
  take(news: MirrorNews): void {
    this.#waiting.push(news)
    if (!this.#isWorking) void this.#work()
  }

  /** Lets go of all that is in memory or open. */
  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
    for (const entityId of this.#followed.keys()) this.#sealed.drop(entityId)
    this.#followed.clear()
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    for (let news = this.#waiting.shift(); news !== undefined; news = this.#waiting.shift()) {
      try {
        const reading = news.kind === 'entity' ? this.#sealed.readRegistry(news.entity.registry) : null
        if (reading !== null) await reading
        if (!this.#isClosed) this.#apply(news)
      } catch {
        this.#failSafely(news)
      }
    }
    this.#isWorking = false
  }

  /** Whatever fails then, the others are followed on. */
  #failSafely(news: MirrorNews): void {
    try {
      this.#fail(news)
    } catch {
      // The entity is known no more: that comes first of all.
    }
  }

  #apply(news: MirrorNews): void {
    switch (news.kind) {
      case 'rows':
        if (this.#followed.has(news.batch.entityId)) this.store.write(news.batch)
        return
      case 'part':
        this.#takePart(news.batch)
        return
      case 'whole':
        this.#isWhole(news)
        return
      case 'dropped':
        this.#drop(news.entityId, news.files)
        return
      default:
        if (this.#failed.has(news.entity.entityId)) this.#letGo(news.entity.remove)
        else this.#follow(news.entity)
    }
  }

  readonly #counting: EmbeddedStoreSettings['changes'] = {
    changed: (entityId, timesMs, count) => this.#followed.get(entityId)?.counts.changed(entityId, timesMs, count),
    allChanged: (entityId) => this.#followed.get(entityId)?.counts.allChanged(entityId),
  }

  /** Until all parts are here, the entity's counts are those of before: were they ahead, the store would seem to be behind. */
  #takePart(batch: RowBatch): void {
    const { entityId } = batch
    const counts = this.#followed.get(entityId)?.counts
    if (counts === undefined) return
    const before = counts.countsOf(entityId)
    this.store.write(batch)
    counts.continueFrom(entityId, before)
  }

  #isWhole({ entityId, counts }: Extract<MirrorNews, { kind: 'whole' }>): void {
    const followed = this.#followed.get(entityId)
    if (followed === undefined) return
    followed.counts.continueFrom(entityId, counts)
    followed.untold = null
  }

  /** In one turn: nobody sees rows twice, or not at all. */
  #follow({ entityId, series, add, remove, memory, untold, counts: counted }: EntityNews): void {
    restoreSeries(this.store.registry(entityId).series, series)
    if (memory === 'new') this.store.forgetRows(entityId)
    this.#sealed.switchFiles({ entityId, replaces: false, add, remove })
    // Otherwise rows may have been counted there that were not told here.
    if (memory === 'same') return
    const counts = ChangeCounts.ofOneLike(this.#counted.shared)
    counts.continueFrom(entityId, counted)
    this.#followed.set(entityId, { counts, untold })
  }

  /** The store answers what is asked of such an entity. */
  #fail(news: MirrorNews): void {
    const entityId = entityOf(news)
    this.#followed.delete(entityId)
    this.#failed.add(entityId)
    this.#sealed.drop(entityId)
    if (news.kind === 'entity') this.#letGo(news.entity.remove)
  }

  /** Files that are not here are let go at once, the others when nobody reads them. */
  #drop(entityId: number, files: readonly SealedFileInfo[]): void {
    const here = new Set(this.store.files(entityId).map(({ info }) => info.name))
    this.#followed.delete(entityId)
    this.#failed.delete(entityId)
    this.#sealed.drop(entityId)
    this.#letGo(files.filter(({ name }) => !here.has(name)))
  }

  #letGo(files: readonly SealedFileInfo[]): void {
    for (const info of files) this.#gone(info)
  }
}

function entityOf(news: MirrorNews): number {
  switch (news.kind) {
    case 'entity':
      return news.entity.entityId
    case 'rows':
    case 'part':
      return news.batch.entityId
    default:
      return news.entityId
  }
}

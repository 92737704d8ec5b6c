import { ChangeCounts, type SharedCounts } from '../../../lib/change-counts.ts'
import type { Disk } from '../../../lib/disk.ts'
import type { Range } from '../../../model/plan.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import type { EmbeddedStore, EmbeddedStoreSettings } from '../embedded-store.ts'
import type { SealedFileInfo } from '../reading/sealed-source.ts'
import { restoreSeries } from '../registry/registry-format.ts'
import { BriefPacer } from './brief-pacer.ts'
import type { EntityNews, MirrorNews, UntoldDates } from './mirror-news.ts'
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
}

/**
 * The rows of some entities of a store that another thread keeps: their files, and the rows in memory that it was told of. It says itself what it knows
 * as well as the store does.
 */
export class StoreMirror {
  readonly #sealed: SealedMirror
  readonly #gone: StoreMirrorOptions['gone']
  /** What the store has counted, and what this has of each entity: where both have counted the same, nothing is missing here. */
  readonly #counted: ChangeCounts
  readonly #own = new Map<number, ChangeCounts>()
  /** By entity, dates of rows in memory that are missing here. */
  readonly #known = new Map<number, UntoldDates | null>()
  /** Those that could not be followed. */
  readonly #failed = new Set<number>()
  readonly #waiting: MirrorNews[] = []
  #isWorking = false
  #isClosed = false

  constructor({ disk, directory, pageCacheBytes, indexCacheBytes, changes, gone }: StoreMirrorOptions) {
    this.#counted = new ChangeCounts(changes)
    this.#gone = gone
    this.#sealed = new SealedMirror({
      ...{ disk, directory, pageCacheBytes, indexCacheBytes, gone },
      openBlocking: new WarmFiles(disk).open,
      settings: { changes: this.#counting, newPacer: (options) => new BriefPacer(options) },
    })
  }

  /** To be asked for what `isCurrent` says. A run that would take long, or wait for the disk, throws an Error. */
  get store(): EmbeddedStore {
    return this.#sealed.store
  }

  /** Whether all rows of these dates are here that the store answers with now. */
  isCurrent(entityId: number, dates: Range): boolean {
    const untold = this.#known.get(entityId)
    if (untold === undefined) return false
    if (untold !== null && untold.fromMs <= dates.toMs && untold.toMs >= dates.fromMs) return false
    return this.#counted.state(entityId, dates) === this.#own.get(entityId)?.state(entityId, dates)
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
    for (const entityId of this.#known.keys()) this.#sealed.drop(entityId)
    this.#known.clear()
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    for (let news = this.#waiting.shift(); news !== undefined; news = this.#waiting.shift()) {
      try {
        const reading = news.kind === 'entity' ? this.#sealed.readRegistry(news.entity.registry) : null
        if (reading !== null) await reading
        if (!this.#isClosed) this.#apply(news)
      } catch {
        this.#fail(news)
      }
    }
    this.#isWorking = false
  }

  #apply(news: MirrorNews): void {
    switch (news.kind) {
      case 'rows':
        if (this.#known.has(news.batch.entityId)) this.store.write(news.batch)
        return
      case 'part':
        this.#takePart(news.batch)
        return
      case 'whole':
        if (!this.#known.has(news.entityId)) return
        this.#own.get(news.entityId)?.continueFrom(news.entityId, news.counts)
        this.#known.set(news.entityId, null)
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
    changed: (entityId, timesMs, count) => this.#own.get(entityId)?.changed(entityId, timesMs, count),
    allChanged: (entityId) => this.#own.get(entityId)?.allChanged(entityId),
  }

  /** Until all parts are here, the entity's counts are those of before: were they ahead, the store would seem to be behind. */
  #takePart(batch: RowBatch): void {
    const { entityId } = batch
    if (!this.#known.has(entityId)) return
    const own = this.#own.get(entityId)!
    const counts = own.countsOf(entityId)
    this.store.write(batch)
    own.continueFrom(entityId, counts)
  }

  /** In one turn: nobody sees rows twice, or not at all. */
  #follow({ entityId, series, add, remove, memory, untold, counts }: EntityNews): void {
    restoreSeries(this.store.registry(entityId).series, series)
    if (memory === 'new') this.store.forgetRows(entityId)
    this.#sealed.switchFiles({ entityId, replaces: false, add, remove })
    // Otherwise rows may have been counted there that were not told here.
    if (memory === 'same') return
    const own = ChangeCounts.ofOneLike(this.#counted.shared)
    own.continueFrom(entityId, counts)
    this.#own.set(entityId, own)
    this.#known.set(entityId, untold)
  }

  /** The store answers what is asked of such an entity. */
  #fail(news: MirrorNews): void {
    const entityId = entityOf(news)
    this.#known.delete(entityId)
    this.#failed.add(entityId)
    this.#sealed.drop(entityId)
    if (news.kind === 'entity') this.#letGo(news.entity.remove)
  }

  /** Files that are not here are let go at once, the others when nobody reads them. */
  #drop(entityId: number, files: readonly SealedFileInfo[]): void {
    const here = new Set(this.store.files(entityId).map(({ info }) => info.name))
    this.#known.delete(entityId)
    this.#own.delete(entityId)
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

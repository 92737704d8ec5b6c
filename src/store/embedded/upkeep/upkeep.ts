// Background work of the store: seals the head, merges small files and removes replaced ones. One task at a time; a merge gives way to a seal.
import type { DeletionCatalog } from '../../../catalog/deletions.ts'
import type { IngestCount, ManifestCatalog, StoreRegistry } from '../../../catalog/manifest.ts'
import { Pacer } from '../../../lib/pacer.ts'
import type { DeletionOutcome, DeletionRequest, UndoRequest } from '../../../model/deletion.ts'
import type { Reach } from '../../../observe/crash-point.ts'
import type { Observe } from '../../../observe/event.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import type { ActiveDeletions } from '../deletions/active-deletions.ts'
import { baseOf } from '../deletions/visible-file.ts'
import type { EmbeddedStore } from '../embedded-store.ts'
import type { SealedFile, StoredFolder } from '../reading/sealed-source.ts'
import { sealRows } from '../sealing/sealer.ts'
import type { FrozenRows } from '../store-changes.ts'
import { type AttemptParts, Attempts, sleepByTimer } from './attempts.ts'
import { Deletions } from './deletions.ts'
import type { Expiry } from './expiry.ts'
import { HourConversions } from './hour-conversions.ts'
import { type MergeOutcome, Merges, sizeOf } from './merges.ts'
import { Preempted } from './preemption.ts'
import { Purges } from './purges.ts'
import type { Removals } from './removals.ts'
import { Unsealed, type UnsealedBounds } from './unsealed.ts'

/** The sealed data. */
export interface StoreState {
  readonly sealedPosition: number
  readonly files: number
  readonly rows: number
  readonly bytes: number
}

export interface UpkeepSettings extends UnsealedBounds {
  readonly dayRowsMin: number
  readonly fileRowsMax: number
  readonly retryDelayMs: number
}

export interface UpkeepParts {
  readonly store: EmbeddedStore
  /** The files that the store reads from. */
  readonly files: readonly SealedFile[]
  readonly folder: StoredFolder
  readonly manifest: ManifestCatalog
  readonly deletions: DeletionCatalog
  readonly standing: ActiveDeletions
  /** Writes new series to disk; the returned registries are durable and have to be recorded. */
  readonly extendRegistries: () => Promise<readonly StoreRegistry[]>
  readonly removals: Removals
  readonly expiry: Pick<Expiry, 'sinceMs' | 'goneMs' | 'keptRules' | 'keptRulesNow' | 'nextDropped' | 'remove'>
  readonly settings: UpkeepSettings
  readonly observe: Observe
  readonly reach: Reach
  /** Ends the work at its next rest; files that are not recorded by then are orphans at the next start. */
  readonly signal: AbortSignal
  readonly sleep?: AttemptParts['sleep']
  /** Called with the error of a seal or a drop that failed: rows wait for it. */
  readonly stuck?: AttemptParts['stuck']
  /** The journal is on disk up to this position. */
  readonly durablePosition: () => number
  /** Called when the manifest has changed and readers have switched. */
  readonly changed: () => void
  /** Called when `afterStep` may now act otherwise: a freeze is due by age, or there is space again. */
  readonly wake: () => void
}

interface Seal {
  readonly frozen: FrozenRows
  readonly counts: readonly IngestCount[]
}

/** The longest time for which sealing may block queries and the pipeline. */
const sliceMs = 2
/** The longest pause between seals: the duration of a seal may include a wait for space on the disk. */
const mergesTurnMsMax = 5000

export class Upkeep {
  readonly #parts: UpkeepParts
  #files: readonly SealedFile[]
  #seal: Seal | null = null
  readonly #purges: Purges
  readonly #deletions: Deletions
  readonly #merges: Merges
  readonly #conversions: HourConversions
  readonly #attempts: Attempts
  readonly #unsealed: Unsealed
  #working: Promise<void> | null = null
  /** Whether there may be work that the current pass has not seen. */
  #isRequested = false
  /** The seal that is being made, on its own or during a merge. */
  #sealing: Promise<void> | null = null
  /** Called when a seal has failed, for callers that do not wait until it succeeds. */
  readonly #awaitingSeal = new Set<() => void>()
  /** Seals may follow each other without a pause. When files pile up, merges get as much time after each seal as it took. */
  #isMergesTurn = false
  /** The pipeline's position. */
  #position: number

  constructor(parts: UpkeepParts) {
    this.#parts = parts
    this.#purges = new Purges(parts)
    this.#conversions = new HourConversions(parts)
    this.#position = parts.store.position
    const stuck = (error: unknown): void => {
      for (const report of this.#awaitingSeal) report()
      parts.stuck?.(error)
    }
    this.#attempts = new Attempts({ ...parts, stuck, retryDelayMs: parts.settings.retryDelayMs })
    this.#files = parts.files
    this.#merges = new Merges({
      ...parts,
      isErased: (deletionId) => this.#deletions.isErased(deletionId),
      attempts: this.#attempts,
      runDue: (entityId) => this.#runDue(entityId),
      files: () => this.#files,
      exchange: (merged, files) => {
        this.#files = [...this.#files.filter((file) => !merged.includes(file)), ...files]
      },
    })
    this.#deletions = new Deletions({
      ...parts,
      catalog: parts.deletions,
      sinceMs: (entityId) => parts.expiry.sinceMs(entityId),
      keepsHours: (entityId) => parts.expiry.keptRules(entityId) !== null,
      goneMs: (entityId) => parts.expiry.goneMs(entityId),
      runDue: (entityId) => this.#runDue(entityId),
      shown: (files) => {
        this.#files = this.#files.map((file) => files.get(file) ?? file)
        parts.changed()
      },
    })
    this.#unsealed = new Unsealed(parts.store.position, parts.settings, parts.wake)
  }

  /**
   * Called between two steps of the pipeline; freezes the head when it is due. `validatedBytes` is the amount of the journal that was validated
   * since the pipeline was opened; `counts` returns the counts at this position.
   */
  afterStep(position: number, validatedBytes: number, counts: () => readonly IngestCount[]): void {
    this.#unsealed.advance(position, validatedBytes)
    this.#position = position
    if (!this.#isHeld && this.#isDue()) this.#freeze(position, counts())
  }

  /**
   * Called when the pipeline has ended, with the arguments of `afterStep`: seals the rest, in one attempt or until the signal. While an entity is
   * being dropped, the rest stays for the next start.
   */
  async sealRest(position: number, validatedBytes: number, counts: () => readonly IngestCount[]): Promise<void> {
    const { signal } = this.#parts
    if (this.#seal !== null && !(await this.#sealsAtOnce())) return
    this.#unsealed.advance(position, validatedBytes)
    if (signal.aborted || this.#isBusy || this.#unsealed.isNothing) return
    this.#freeze(position, counts())
    await this.#sealsAtOnce()
  }

  #freeze(position: number, counts: readonly IngestCount[]): void {
    this.#unsealed.freeze()
    this.#seal = { frozen: this.#parts.store.freeze(position), counts }
    this.#merges.hurry()
    this.work()
  }

  get state(): StoreState {
    const infos = this.#files.map(({ info }) => info)
    const rows = infos.reduce((sum, info) => sum + (info.kind === 'hours' ? 0 : info.rows), 0)
    return { sealedPosition: this.#parts.store.position, files: infos.length, rows, bytes: sizeOf(this.#files) }
  }

  /** Whether the pipeline has to wait: rows are being sealed, and the head has reached its bounds again. */
  get isFull(): boolean {
    return this.#isHeld && this.#unsealed.isOverBounds(this.#parts.store.head)
  }

  /** Whether rows are not frozen now. */
  get #isHeld(): boolean {
    return this.#isBusy || this.#isMergesTurn
  }

  /** Whether rows cannot be frozen now: others are frozen already, or the rows of a dropped entity have to be removed first. */
  get #isBusy(): boolean {
    return this.#seal !== null || this.#parts.expiry.nextDropped !== null
  }

  /** Starts the work that is due. When a pass is running, another one follows, because this may be called while the first is ending. */
  work(): void {
    this.#isRequested = true
    this.#working ??= this.#work().finally(() => {
      this.#working = null
      if (this.#isRequested && !this.#parts.signal.aborted) this.work()
    })
  }

  /** As `Purges.add`, for the rows before the pipeline's position. */
  purge(entityId: number, position: number, waitMs: number): Promise<void> {
    const purged = this.#purges.add(entityId, position, waitMs)
    this.work()
    this.#parts.wake()
    return purged
  }

  /** As `Deletions.add`, for the rows before the pipeline's position. */
  delete(request: DeletionRequest, position: number): Promise<DeletionOutcome> {
    const deleted = this.#deletions.add(request, position)
    this.work()
    this.#parts.wake()
    return deleted
  }

  /** Reads from the catalog which deletions are erased. */
  refreshDeletions(): Promise<void> {
    return this.#deletions.refresh()
  }

  /** As `Deletions.takeBack`, with the pipeline at this position. */
  takeBack(request: UndoRequest, position: number): Promise<boolean> {
    const takenBack = this.#deletions.takeBack(request, position)
    this.work()
    return takenBack
  }

  /** Resolves when no work is running. */
  async stop(): Promise<void> {
    this.#unsealed.stop()
    await this.#working
  }

  /**
   * Seals go first, because pushes are refused when sealing stops. After each seal, dropped entities and expired rows get their turn. Failures of
   * these are skipped and hold up nothing.
   */
  async #work(): Promise<void> {
    const { signal } = this.#parts
    while (!signal.aborted) {
      this.#isRequested = false
      const isSealed = this.#seal !== null
      await this.#sealDue()
      if (signal.aborted || (await this.#removeDue()) || isSealed || this.#seal !== null) continue
      if (await this.#deletions.runNext()) continue
      const erasure = await this.#erase()
      if (erasure === 'merged' || erasure === 'gave way') continue
      // A failed erasure is retried after a merge, which may free space.
      if (!(await this.#merge()) && erasure === null) return
    }
  }

  /** Drops an entity that is due, and removes expired files or rows of others; returns false when there is nothing to do. */
  async #removeDue(): Promise<boolean> {
    const dropped = this.#parts.expiry.nextDropped
    const isDropped = dropped !== null && this.#seal === null
    if (isDropped) await this.#runDrop(dropped)
    // A sequence of dropped entities does not hold up other work.
    return (await this.#removeExpired()) || isDropped
  }

  async #removeExpired(): Promise<boolean> {
    const { store, wake } = this.#parts
    if (this.#conversions.note(store.entityIds, this.#position)) wake()
    const left = this.#files.filter((file) => this.#isGone(file))
    const leaving = left.length > 0 ? null : this.#conversions.choose(this.#files, this.#merges.damaged)
    if (leaving !== null) {
      await this.#merges.keepHours(leaving)
      return true
    }
    const purged = left.length === 0 ? this.#purges.chooseFile(this.#merges.damaged) : null
    if (left.length > 0) await this.#runLeave(left)
    else if (purged !== null) {
      const outcome = await this.#merges.run([purged])
      if (outcome === 'failed' && !this.#merges.damaged.has(purged)) this.#purges.failed(purged)
    }
    return left.length > 0 || purged !== null
  }

  /** Whether everything in a file has expired. */
  #isGone(file: SealedFile): boolean {
    const { expiry } = this.#parts
    const { entityId, lastMs, kind } = baseOf(file).info
    const ofHours = kind === 'hours'
    if (ofHours && expiry.keptRules(entityId) === null) return true
    return (ofHours ? lastMs + hourMs - 1 : lastMs) < (expiry.goneMs(entityId) ?? -Infinity)
  }

  /** Permanently removes rows that were deleted long enough ago; null when there are none. */
  async #erase(): Promise<MergeOutcome | null> {
    const file = this.#deletions.fileToErase(this.#files, this.#merges.damaged)
    return file === null ? null : this.#merges.run([file])
  }

  async #merge(): Promise<boolean> {
    const merged = this.#merges.choose()
    if (merged !== null) await this.#merges.run(merged)
    return merged !== null
  }

  /** Returns false when it failed and has to be retried. */
  async #runDrop(entityId: number): Promise<boolean> {
    const { store, manifest, removals, expiry, reach, changed, wake } = this.#parts
    reach('drop-begun')
    const dropped = await this.#attempts.once('dropFailed', async () => {
      await manifest.drop(entityId)
      return true
    })
    if (dropped === null) return false
    reach('drop-manifest-committed')
    this.#files = this.#files.filter(({ info }) => info.entityId !== entityId)
    store.drop(entityId, removals.ofEntity(entityId, store.files(entityId)))
    expiry.remove(entityId)
    changed()
    wake()
    return true
  }

  async #runLeave(left: readonly SealedFile[]): Promise<void> {
    const { store, removals, reach, observe, changed } = this.#parts
    const remove = left.map((file) => baseOf(file).info)
    if (!(await this.#attempts.commit({ add: [], remove, registries: [], seal: null }))) return
    reach('leave-manifest-committed')
    store.switchFiles({ add: [], remove: left, frozen: null, gone: removals.ofFiles(left) })
    this.#files = this.#files.filter((file) => !left.includes(file))
    reach('leave-readers-switched')
    observe({ kind: 'expiredFilesDeleted', files: left.length, rows: remove.reduce((sum, { rows }) => sum + rows, 0) })
    changed()
  }

  /** Seals the frozen rows; concurrent callers share one seal. A failure that ends the thread leaves the promise rejected. */
  #sealDue(): Promise<void> {
    if (this.#sealing === null && this.#seal !== null) {
      this.#sealing = this.#runSeal(this.#seal).then(() => {
        this.#sealing = null
      })
    }
    return this.#sealing ?? Promise.resolve()
  }

  /**
   * Called at each rest of a merge of an entity's files: seals frozen rows and drops a dropped entity, so that pushes and starts do not wait.
   * Throws Preempted when that fails, because the merge may have used up the space for it, and when the merged entity is dropped.
   */
  async #runDue(entityId: number): Promise<void> {
    if (this.#seal !== null && !(await this.#sealsAtOnce())) throw new Preempted()
    const dropped = this.#parts.expiry.nextDropped
    if (dropped === null || this.#seal !== null) return
    if (dropped === entityId || !(await this.#runDrop(dropped))) throw new Preempted()
  }

  /** Returns false after the first failure; a seal that was ended by the signal has not failed. */
  #sealsAtOnce(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const failed = (): void => resolve(false)
      this.#awaitingSeal.add(failed)
      void this.#sealDue()
        .then(() => resolve(true), reject)
        .finally(() => this.#awaitingSeal.delete(failed))
    })
  }

  /** Seals, with retries until it succeeds: the rows have nowhere else to go. */
  async #runSeal({ frozen, counts }: Seal): Promise<void> {
    const { store, signal, reach, observe, changed, wake, durablePosition } = this.#parts
    const startedMs = performance.now()
    let sealed = await this.#attempts.once('sealFailed', () => this.#writeSeal(frozen))
    while (sealed === null && !signal.aborted)
      sealed = await this.#attempts.once('sealFailed', () => this.#writeSeal(frozen))
    if (sealed === null) return
    const { files, registries } = sealed
    const { position } = frozen
    const add = files.map(({ info }) => info)
    const seal = { position, counts, journalEnd: durablePosition() }
    if (!(await this.#attempts.commit({ add, remove: [], registries, seal }))) return
    reach('manifest-committed')
    // From here on a failure ends the thread: only the manifest knows which rows are stored.
    store.switchFiles({ add: files, remove: [], frozen, gone: () => undefined })
    this.#files = [...this.#files, ...files]
    this.#seal = null
    reach('readers-switched')
    const ms = performance.now() - startedMs
    observe({ kind: 'sealed', position, files: files.length, rows: frozen.rows, bytes: sizeOf(files), ms })
    if (this.#merges.areBehind) this.#letMerge(Math.min(ms, mergesTurnMsMax))
    changed()
    wake()
  }

  #letMerge(forMs: number): void {
    const { signal, wake, sleep = sleepByTimer } = this.#parts
    this.#isMergesTurn = true
    void sleep(forMs, signal).then(() => {
      this.#isMergesTurn = false
      wake()
    })
  }

  async #writeSeal(frozen: FrozenRows) {
    const { folder, settings, signal, reach, extendRegistries, expiry } = this.#parts
    // Rows in memory wait for the seal, and so do merges.
    const pacer = new Pacer({ sliceMs, signal, isPressing: () => true })
    const sinceMs = (entityId: number): number | null => expiry.goneMs(entityId)
    const files = await sealRows(frozen, { folder, dayRowsMin: settings.dayRowsMin, sinceMs, pacer, reach })
    try {
      const registries = await extendRegistries()
      reach('registry-synced')
      return { files, registries }
    } catch (error) {
      for (const file of files) this.#parts.removals.remove(file)
      throw error
    }
  }

  #isDue(): boolean {
    const unsealed = this.#unsealed
    if (unsealed.isNothing) return false
    const { frozenPosition } = unsealed
    const isAskedFor = [this.#purges, this.#deletions, this.#conversions].some((one) => one.needsSeal(frozenPosition))
    return isAskedFor || unsealed.isOld || unsealed.isOverBounds(this.#parts.store.head)
  }
}

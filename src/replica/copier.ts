// Keeps the replica of a data folder up to date: the journal at intervals, the catalog and the files that it names when they have changed.
// Tested by `test/acceptance/replica.test.ts`.
import { Serial } from '../lib/serial.ts'
import { codeOf, systemErrorText } from '../lib/system-error.ts'
import type { Observe } from '../observe/event.ts'
import { ByteRate } from './byte-rate.ts'
import { ChangeWatch } from './change-watch.ts'
import type { CopierParts, OpenedReplica, ReplicaState } from './copier-parts.ts'
import { requireLocationOfFirstUpload } from './first-upload.ts'
import { JournalCopier } from './journal-copier.ts'
import { JournalMarks } from './journal-marks.ts'
import { MomentMaker } from './moment-maker.ts'
import { hasExpired } from './moment-plan.ts'
import { readMomentBefore } from './read-log.ts'
import { type FailingPart, ReplicaErrors } from './replica-errors.ts'
import type { Mark } from './replica-format.ts'
import { ReplicaLog } from './replica-log.ts'
import { ReplicaWaiters } from './replica-waiters.ts'
import { Restorable } from './restorable.ts'
import { isFinal, StoreAttempts } from './store-attempts.ts'
import { sweep } from './sweep.ts'

/** While there is nothing to copy, a takeover by another process would go unnoticed, so ownership is checked at this interval. */
const ownerCheckMs = 30_000
const closeMsMax = 10_000

export class Copier {
  readonly #parts: CopierParts
  readonly #stop = new AbortController()
  readonly #attempts: StoreAttempts
  readonly #rate: ByteRate
  readonly #marks: JournalMarks
  readonly #journal: JournalCopier
  readonly #restorable: Restorable
  readonly #appends = new Serial()
  readonly #lag: LagWatch
  readonly #begunMs: number
  readonly #waiters = new ReplicaWaiters()
  readonly #errors = new ReplicaErrors((event) => this.#parts.observe(event))
  readonly #journalRests = new Rests()
  readonly #catalogRests = new Rests()
  #opened: OpenedReplica | null = null
  #hasBase = false
  /** How often the journal was trimmed before it was copied. */
  #breaks = 0
  /** The catalog of the last moment: the amount of the operator's changes in it, and the position before which it knows all rows. */
  #copied = { changes: -1, position: 0 }
  #isOver = false
  readonly #changes: ChangeWatch
  #storedCopied: unknown = null
  /** By the steady clock, as all times here. */
  #momentMs = Number.NEGATIVE_INFINITY
  #checkedMs = Number.NEGATIVE_INFINITY
  #loops: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  #isClosing = false
  #failed: () => void = () => undefined

  constructor(parts: CopierParts) {
    this.#parts = parts
    const { settings, journal, journalDirectory: directory, changes, nowMs } = parts
    const { signal } = this.#stop
    const report = (failure: string | null): void => this.#report('store', failure)
    this.#attempts = new StoreAttempts({ requestMs: settings.requestMs, signal, report, isFinal })
    this.#rate = new ByteRate(settings.bytesPerSecond, signal)
    this.#marks = new JournalMarks({ journal, changes, nowMs })
    this.#journal = new JournalCopier({ journal, directory, marks: this.#marks, rate: this.#rate })
    this.#restorable = new Restorable({ journal: this.#journal })
    this.#lag = new LagWatch(parts.observe, settings.intervalMs)
    this.#begunMs = performance.now()
    this.#changes = new ChangeWatch({ changes, noted: () => this.#marks.noted() })
    this.#journal.restart()
    journal.onDurable(() => {
      this.#marks.durable()
      if (!settings.wait) return
      this.#journalRests.wake()
      this.#catalogRests.wake()
    })
  }

  /**
   * Takes over the replica, at once or as soon as the store responds; resolves without waiting for a store that fails. Throws `NotOwner` when another
   * service has the replica, and an Error when the store refuses the address of a first replica.
   */
  async start(): Promise<void> {
    await requireLocationOfFirstUpload(this.#parts)
    const opening = this.#open()
    opening.catch((error: unknown) => this.#end(error))
    this.#loops = opening.then(
      () =>
        Promise.all([
          this.#repeat('journal', () => this.#copyJournal()),
          this.#repeat('catalog', () => this.#copyCatalog()),
        ]),
      () => undefined,
    )
    this.#timer = setInterval(() => {
      this.#changes.check()
      this.#lag.update(this.state)
    }, this.#parts.settings.intervalMs)
    this.#timer.unref()
    const failed = new Promise<void>((resolve) => {
      this.#failed = resolve
    })
    await Promise.race([opening, failed])
  }

  get state(): ReplicaState {
    // Changes since the last look are not in the replica either.
    this.#changes.check()
    const lagMs = this.#lagMs()
    return {
      position: this.#restorable.position,
      timeMs: this.#hasBase ? this.#parts.nowMs() - lagMs : null,
      lagMs,
      lagBytes: this.#journal.bytesBehind,
      error: this.#errors.error,
    }
  }

  /** The journal is needed from here on, unless too much of it waits for the replica. */
  get neededPosition(): number {
    const { settings, journal } = this.#parts
    if (this.#isOver || journal.bytes > settings.heldBytes) return Number.POSITIVE_INFINITY
    return this.#hasBase ? this.#journal.position : 0
  }

  /** Throws Problem `unavailable` when pushes have to be in the replica and it cannot be reached. */
  requireReachable(): void {
    if (this.#parts.settings.wait && (this.#errors.error !== null || !this.#hasBase)) throw this.#errors.unavailable()
  }

  /** Resolves when everything before a position is in the replica; at once when pushes do not wait for it. Throws as `requireReachable`. */
  async reached(position: number): Promise<void> {
    if (!this.#parts.settings.wait || this.#restorable.position >= position) return
    this.requireReachable()
    await this.#waiters.reached(position)
  }

  /** Copies the remaining data, unless the store cannot be reached. */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#timer !== null) clearInterval(this.#timer)
    const closed = new Error('the replica is closed')
    if (this.#errors.error !== null || this.#opened === null) this.#stop.abort(closed)
    const timer = setTimeout(() => this.#stop.abort(closed), closeMsMax)
    for (const rests of [this.#journalRests, this.#catalogRests]) rests.end()
    await this.#loops
    if (!this.#stop.signal.aborted)
      await this.#copyJournal()
        .then(() => this.#copyCatalog())
        .then(() => this.#copyJournal())
        .catch((error: unknown) => this.#end(error))
    clearTimeout(timer)
    this.#stop.abort(closed)
    this.#waiters.settle(this.#restorable.position, this.#errors.unavailable())
    this.#parts.store.close()
  }

  async #open(): Promise<void> {
    const { store, disk, markPath, url, data, settings, reach } = this.#parts
    const attempt = <T>(work: () => Promise<T>): Promise<T> => this.#attempts.until(work)
    const timeMs = (atLeastMs?: number): number => this.#marks.timeMs(atLeastMs)
    const log = await ReplicaLog.claim({ store, disk, markPath, url, timeMs, attempt })
    reach('replica-claimed')
    const { before } = log
    const last = before === null ? null : await attempt(() => readMomentBefore(store, before))
    this.#journal.restart()
    const shared = { appends: this.#appends, journal: this.#journal, marks: this.#marks, rate: this.#rate }
    const own = { ...shared, restorable: this.#restorable }
    const { keepMs } = settings
    this.#opened = { log, moments: new MomentMaker({ data, store, disk, log, attempt, ...own, keepMs, reach }, last) }
  }

  /** Runs the work at intervals until the copier is closed; `work` returns whether there was something to do. */
  async #repeat(loop: 'journal' | 'catalog', work: () => Promise<boolean>): Promise<void> {
    const { intervalMs } = this.#parts.settings
    const rests = loop === 'journal' ? this.#journalRests : this.#catalogRests
    while (!this.#isOver && !this.#isClosing) {
      const begunMs = performance.now()
      let isIdle = false
      try {
        isIdle = !(await work())
        this.#errors.report(loop, null)
      } catch (error) {
        if (this.#stop.signal.aborted) return
        if (isFinal(error)) return this.#end(error)
        this.#report(loop, systemErrorText(error))
      }
      if (!this.#isClosing) await rests.rest(intervalMs - (performance.now() - begunMs), isIdle)
    }
  }

  async #copyJournal(): Promise<boolean> {
    const opened = this.#opened
    if (opened === null || !this.#hasBase) return false
    let isCopied = false
    try {
      while (await this.#appends.run(() => this.#copyPiece(opened.log))) isCopied = true
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      // Trimmed, because more waited than is held for the replica: copying resumes with another moment.
      this.#hasBase = false
      this.#breaks++
      this.#journal.restart()
      return true
    }
    if (performance.now() - this.#checkedMs < ownerCheckMs) return isCopied
    await this.#appends.run(() => opened.log.requireOwner())
    this.#checkedMs = performance.now()
    return isCopied
  }

  async #copyPiece(log: ReplicaLog): Promise<boolean> {
    const ready = this.#hasBase ? this.#ready() : []
    if (ready.length > 0) this.#restorable.copying(this.#marks.sinceMs!)
    if (!(await this.#journal.copy(log, ready))) return false
    this.#checkedMs = performance.now()
    this.#parts.reach('replica-journal-written')
    this.#waiters.settle(this.#restorable.position, null)
    if (this.#restorable.isWhole) this.#catalogRests.wake()
    this.#parts.mayTrim()
    return true
  }

  /** The part of the journal that may follow the last moment. */
  #ready = (): readonly Mark[] => this.#marks.ready(this.#copied.changes, this.#copied.position)

  async #copyCatalog(): Promise<boolean> {
    const { isChanging, nowMs, stored, settings } = this.#parts
    const opened = this.#opened
    if (opened === null || isChanging()) return false
    this.#changes.check()
    // Each moment becomes whole before the next one; otherwise many changes would postpone a restorable state indefinitely.
    if (this.#hasBase && !this.#restorable.isWhole && this.#ready().length > 0) return false
    const storedNow = stored()
    const isDue = performance.now() - this.#momentMs >= settings.catalogMs
    const last = opened.moments.last
    const expired = last !== null && hasExpired(last, nowMs() - settings.keepMs)
    const isOld = isDue && (storedNow !== this.#storedCopied || expired)
    if (this.#hasBase && !this.#changes.hasChanges && !isOld) return false
    const isFirst = !Number.isFinite(this.#momentMs)
    const deleted = await this.#makeMoment(opened.moments)
    this.#storedCopied = storedNow
    this.#momentMs = performance.now()
    this.#journalRests.wake()
    await opened.moments.remove(deleted)
    if (isFirst) await sweep(opened.moments, opened.log, this.#parts.store, (work) => this.#attempts.until(work))
    return true
  }

  async #makeMoment(moments: MomentMaker): Promise<readonly string[]> {
    const breaks = this.#breaks
    const { made, changes } = await this.#changes.making((first) => moments.make(first))
    this.#copied = { changes, position: made.moment.position }
    this.#hasBase = breaks === this.#breaks
    return made.deleted
  }

  #lagMs(): number {
    const nowMs = performance.now()
    const changedMs = this.#changes.sinceMs
    const since = [this.#marks.sinceMs, changedMs, this.#restorable.sinceMs].map((ms) => ms ?? nowMs)
    // Data younger than a millisecond is not in the replica either.
    return Math.ceil(nowMs - (this.#hasBase ? Math.min(...since) : this.#begunMs))
  }

  #report(place: FailingPart, failure: string | null): void {
    this.#errors.report(place, failure)
    if (failure === null) return
    this.#failed()
    this.#waiters.settle(this.#restorable.position, this.#errors.unavailable())
  }

  /** Ends all writing to the replica. */
  #end(error: unknown): void {
    if (this.#stop.signal.aborted) return
    this.#isOver = true
    this.#report('end', systemErrorText(error))
    this.#stop.abort(error)
    this.#parts.mayTrim()
  }
}

/** Pauses of one loop, which other code may end. */
class Rests {
  #end: (() => void) | null = null
  #isIdle = false

  /** An idle pause also ends when there is something to do. */
  async rest(ms: number, isIdle: boolean): Promise<void> {
    if (ms <= 0) return
    this.#isIdle = isIdle
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#end = null
  }

  /** Called when there is something to do. */
  wake(): void {
    if (this.#isIdle) this.#end?.()
  }

  end(): void {
    this.#end?.()
  }
}

/** The lag from which on a replica is reported. */
const behindMs = 10_000
/** At long intervals the lag is this number of intervals instead. */
const behindIntervals = 5

/** Logs when the replica falls behind, and when it has caught up. */
class LagWatch {
  readonly #observe: Observe
  readonly #behindMs: number
  #isBehind = false

  constructor(observe: Observe, intervalMs: number) {
    this.#observe = observe
    this.#behindMs = Math.max(behindMs, behindIntervals * intervalMs)
  }

  update({ position, lagMs, lagBytes, error }: ReplicaState): void {
    const isBehind = lagMs > this.#behindMs
    if (isBehind === this.#isBehind) return
    this.#isBehind = isBehind
    if (isBehind) this.#observe({ kind: 'replicaBehind', position, lagMs, lagBytes, error })
    else this.#observe({ kind: 'replicaCaughtUp', position })
  }
}

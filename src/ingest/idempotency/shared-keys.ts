// Idempotency keys shared by several processes. A key is reserved before its push is sent to the journal. The pipeline that first validates a push with the
// key decides which push it identifies, and responses follow that.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PushKeyCatalog, PushKeyHolder, PushKeyName } from '../../catalog/push-keys.ts'
import { positionAfter } from '../../journal/journal.ts'
import { Problem } from '../../model/problem.ts'
import type { IngestProgress } from '../progress.ts'
import type { JournalledPush, KeyUse } from './idempotency-keys.ts'
import { keyReused, tooManyKeys } from './key-problems.ts'
import { hashBodyInSlices, keyLifeS } from './push-key.ts'

export interface SharedKeysParts {
  readonly keys: PushKeyCatalog
  readonly progress: Pick<IngestProgress, 'waitFor'>
  readonly nowMs: () => number
  /** The most live keys; beyond it a push with a new key is refused. */
  readonly keysMax: number
  /** How long a push waits for another push with its key, and for the pipeline to decide on it. */
  readonly waitMs: number
}

const pollEveryMs = 25
/** By how much the journal's order may differ from the order of receipt: clocks differ, and some pushes wait longer to be written. */
const disorderMs = 3_600_000
/** Age at which a reservation counts as abandoned by its process. */
const abandonedAfterMs = 30_000

export class SharedKeys {
  readonly #parts: SharedKeysParts
  #count = 0

  constructor(parts: SharedKeysParts) {
    this.#parts = parts
  }

  /** The number of live keys at the last refresh. */
  get count(): number {
    return this.#count
  }

  /** Refreshes the number of live keys; call often. */
  async refresh(): Promise<void> {
    this.#count = await this.#parts.keys.count()
  }

  /**
   * Forgets keys that are older than a day, counted from now, or from the receipt of the oldest push not validated yet. A repeated push is
   * recognized by the key of the first one, which may have been validated only just now.
   */
  async forget(oldestPendingMs: number, signal: AbortSignal): Promise<void> {
    const fromMs = Math.min(this.#parts.nowMs(), oldestPendingMs)
    await this.#parts.keys.forget(fromMs - keyLifeS * 1000 - disorderMs, signal)
  }

  /**
   * Like `IdempotencyKeys.once`, across all processes. Also throws Problem `overloaded` if another push with the key takes too long, and
   * `unavailable` if the catalog is unreachable.
   */
  async once(use: KeyUse, store: () => Promise<JournalledPush>): Promise<Pick<JournalledPush, 'position' | 'rows'>> {
    const { keys, nowMs, waitMs } = this.#parts
    const name = { subscriberId: use.subscriberId, ingestId: use.ingestId, key: use.key }
    const bodyHash = await hashBodyInSlices(use.body, use.format)
    const untilMs = performance.now() + waitMs
    for (;;) {
      const reservation = await keys.reserve(name, bodyHash, { nowMs: nowMs(), abandonedAfterMs: abandonedAfterMs })
      if (reservation.state === 'held') {
        const known = await this.#validated(name, reservation.holder)
        if (!isOfBody(known, bodyHash)) throw keyReused()
        return known
      }
      if (reservation.state !== 'pending') {
        const { own, holder } = await this.#store(name, reservation.id, bodyHash, store)
        const known = reservation.state === 'reserved' ? holder : await this.#validated(name, holder)
        // If the key identifies another body, whose outcome was unknown, this push was stored in addition to it.
        return isOfBody(known, bodyHash) ? known : own
      }
      if (performance.now() > untilMs) throw stillOnItsWay(waitMs)
      await sleep(pollEveryMs)
    }
  }

  async #store(
    name: PushKeyName,
    id: string,
    bodyHash: Uint8Array,
    store: () => Promise<JournalledPush>,
  ): Promise<{ readonly own: JournalledPush; readonly holder: PushKeyHolder }> {
    const { keys, keysMax } = this.#parts
    try {
      if (this.#count >= keysMax) throw tooManyKeys(keysMax)
      const own = await store()
      return { own, holder: await keys.settle(name, { bodyHash, ...own }) }
    } catch (error) {
      // A journal that did not respond may have stored the push nevertheless.
      const mayBeStored = !(error instanceof Problem) || error.code === 'unavailable'
      await keys.release(name, id, mayBeStored).catch(() => undefined)
      throw error
    }
  }

  /** The push that the key identifies, when the pipeline has decided. After `waitMs` it may be undecided still. */
  async #validated(name: PushKeyName, holder: PushKeyHolder): Promise<PushKeyHolder> {
    const { keys, progress, nowMs, waitMs } = this.#parts
    if (holder.isValidated) return holder
    const timeout = AbortSignal.timeout(waitMs)
    await progress.waitFor(positionAfter(holder), timeout).catch((error: unknown) => {
      if (!timeout.aborted) throw error
    })
    return (await keys.find(name, nowMs())) ?? holder
  }
}

function isOfBody(holder: PushKeyHolder, bodyHash: Uint8Array): boolean {
  return Buffer.compare(holder.bodyHash, bodyHash) === 0
}

function stillOnItsWay(waitMs: number): Problem {
  return new Problem(
    'overloaded',
    `Another push with the same Idempotency-Key has been in progress for more than ${waitMs} ms. Nothing was stored by this one: send it again later.`,
  )
}

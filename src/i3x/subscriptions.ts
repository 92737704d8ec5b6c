// The subscriptions of all clients, in the memory of this process. A client owns a subscription by knowing its ids, until it stops using it.
import { randomBytes } from 'node:crypto'
import { textWithLongs } from '../lib/json-with-longs.ts'
import { invalidRequest, Problem } from '../model/problem.ts'
import type { AddressSpace, Found } from './address-space.ts'
import { type Bulk, noElement, type Outcome, outcomes, requireAtMost, type SingleResponse } from './answers.ts'
import type { I3xCaller } from './caller.ts'
import { type LivePort, type Polled, Subscription, type SyncBatch, type SyncUpdate } from './subscription.ts'
import type { Values } from './values.ts'

export interface SubscriptionsParts {
  readonly live: LivePort
  readonly space: AddressSpace
  readonly values: Values
  readonly limits: {
    readonly subscriptions: number
    /** Maximum elements of one subscription. */
    readonly objects: number
    readonly waitingBytes: number
    /** A subscription without requests or an open stream for this long is deleted. */
    readonly idleMs: number
  }
  readonly nowMs: () => number
  readonly newId?: () => string
}

/** Identifies a subscription and its owner. */
export interface Named {
  readonly clientId: string
  readonly subscriptionId: string
}

/** Receives updates as they arrive. */
export interface Sink {
  /** Whether it cannot accept updates now; `Stream.more` signals when it can again. */
  readonly isBusy: () => boolean
  readonly write: (updates: readonly SyncUpdate[]) => void
  readonly end: () => void
  /** The current reader; null after its access ended. */
  readonly caller: () => I3xCaller | null
}

export interface Stream {
  readonly more: () => void
  readonly close: () => void
}

interface Monitored {
  readonly maxDepth: number
  /** The objects watched for this element: itself, and its components if requested. */
  readonly objects: readonly Found[]
}

interface SubscriptionEntry {
  readonly clientId: string
  readonly displayName: string
  readonly subscription: Subscription
  monitored: ReadonlyMap<string, Monitored>
  /** The last value sent of each item, as JSON text: items are not in the log. */
  readonly sentItems: Map<string, string>
  usedMs: number
  sink: Sink | null
}

const expiryChecksMs = 1000
/** Pause between two writes of a stream, so that many small pushes cost no more than a few large ones. */
const restMs = 200

export class Subscriptions {
  readonly #parts: SubscriptionsParts
  readonly #kept = new Map<string, SubscriptionEntry>()
  #timer: NodeJS.Timeout | null = null

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts
  }

  /** Throws Problem `overloaded` if there are too many. */
  create(clientId: string, displayName: string | null): Named & { readonly displayName: string } {
    const { live, limits, nowMs, newId = () => randomBytes(32).toString('base64url') } = this.#parts
    this.expire()
    if (this.#kept.size >= limits.subscriptions) throw tooMany(limits.subscriptions)
    const subscriptionId = newId()
    const subscription = new Subscription(live, limits)
    const kept: SubscriptionEntry = {
      ...{ clientId, displayName: displayName ?? subscriptionId, subscription, usedMs: nowMs(), sink: null },
      ...{ monitored: new Map<string, Monitored>(), sentItems: new Map<string, string>() },
    }
    this.#kept.set(subscriptionId, kept)
    this.#timer ??= setInterval(() => this.expire(), expiryChecksMs).unref()
    return { clientId, subscriptionId, displayName: kept.displayName }
  }

  list(clientId: string, ids: readonly string[]): Bulk<object> {
    requireAtMost(this.#parts.limits.objects, ids)
    const describe = (subscriptionId: string) => {
      const kept = this.#find({ clientId, subscriptionId })
      if (kept === null) return undefined
      const monitoredObjects = [...kept.monitored].map(([elementId, { maxDepth }]) => ({ elementId, maxDepth }))
      return { subscriptionId, displayName: kept.displayName, monitoredObjects }
    }
    return { results: outcomes(ids, describe, noSubscription), partial: null }
  }

  delete(clientId: string, ids: readonly string[]): Bulk<null> {
    requireAtMost(this.#parts.limits.objects, ids)
    const results = ids.map((subscriptionId): [string, Outcome<null>] => {
      const kept = this.#find({ clientId, subscriptionId })
      if (kept === null) return [subscriptionId, noSubscription(subscriptionId)]
      this.#end(subscriptionId, kept)
      return [subscriptionId, { result: null }]
    })
    return { results, partial: null }
  }

  /** Throws Problem `not_found`, `overloaded` if there are too many live readers, or `unavailable`. */
  register(named: Named, ids: readonly string[], maxDepth: number, caller: I3xCaller): Promise<Bulk<null>> {
    const { space, limits } = this.#parts
    requireAtMost(limits.objects, ids)
    return this.#with(named, async (kept) => {
      const found = await space.find(ids, caller)
      const components = maxDepth === 1 ? new Map<string, Found[]>() : await space.components(found, caller)
      const monitored = new Map(kept.monitored)
      const results = ids.map((id): [string, Outcome<null>] => {
        const one = found.get(id)
        if (one === undefined) return [id, noElement(id)]
        if (!monitored.has(id) && monitored.size >= limits.objects) return [id, tooManyElements(limits.objects)]
        const objects = [one, ...(components.get(id) ?? [])].map(({ element, object }) => ({ element, object }))
        if (!monitored.has(id)) monitored.set(id, { maxDepth, objects })
        return [id, { result: null }]
      })
      await this.#watch(kept, monitored, caller)
      return { results, partial: null }
    })
  }

  unregister(named: Named, ids: readonly string[], caller: I3xCaller): Promise<Bulk<null>> {
    requireAtMost(this.#parts.limits.objects, ids)
    return this.#with(named, async (kept) => {
      const monitored = new Map(kept.monitored)
      const results = ids.map((id): [string, Outcome<null>] => {
        kept.sentItems.delete(id)
        return [id, monitored.delete(id) ? { result: null } : notRegistered(id)]
      })
      await this.#watch(kept, monitored, caller)
      return { results, partial: null }
    })
  }

  /** Throws Problem `not_found`, and `invalid_request` if a stream is open or no batch has that number. */
  sync(
    named: Named,
    lastSequenceNumber: number | null,
    caller: I3xCaller,
  ): Promise<SingleResponse<readonly SyncBatch[]>> {
    return this.#with(named, async (kept) => {
      const { subscription, sink } = kept
      if (sink !== null) throw streamIsOpen()
      if (lastSequenceNumber !== null) requireSentBatch(lastSequenceNumber, subscription.lastSequence)
      const poll = (roomBytes: number) => this.#changedItems(kept, roomBytes, caller)
      const { batches, hasLost, hasMore } = await subscription.sync(lastSequenceNumber, caller, poll)
      const { waitingBytes } = this.#parts.limits
      return { result: batches, partial: hasLost ? lostText : hasMore ? moreText(waitingBytes) : null }
    })
  }

  /** Sends the pending updates to a sink, and then updates as they arrive. Ends a stream that was open before. Throws Problem `not_found`. */
  open(named: Named, sink: Sink): Promise<Stream> {
    return this.#with(named, async (kept) => {
      kept.sink?.end()
      kept.sink = sink
      let rest: NodeJS.Timeout | null = null
      let hasMore = false
      const more = (): void => {
        hasMore = true
        if (rest !== null) return
        rest = setTimeout(() => {
          rest = null
          if (hasMore) more()
        }, restMs).unref()
        hasMore = false
        this.#pump(kept, sink)
      }
      kept.subscription.onUpdates = more
      const close = (): void => {
        if (rest !== null) clearTimeout(rest)
        if (kept.sink !== sink) return
        kept.sink = null
        kept.subscription.onUpdates = null
        kept.usedMs = this.#parts.nowMs()
      }
      return { more, close }
    })
  }

  /** Deletes subscriptions that were not used in time. */
  expire(): void {
    for (const [id, kept] of this.#kept) if (this.#isOld(kept)) this.#end(id, kept)
  }

  #isOld({ sink, usedMs }: SubscriptionEntry): boolean {
    const { limits, nowMs } = this.#parts
    return sink === null && usedMs < nowMs() - limits.idleMs
  }

  /** Ends all subscriptions when the server stops. */
  endAll(): void {
    for (const [id, kept] of this.#kept) this.#end(id, kept)
  }

  #pump(kept: SubscriptionEntry, sink: Sink): void {
    const { subscription } = kept
    const sent = subscription.serial.run(async () => {
      const caller = kept.sink === sink && !sink.isBusy() ? sink.caller() : null
      if (caller !== null) await subscription.drain(caller, sink.write)
    })
    // On failure the next update or a reconnecting client tries again.
    sent.catch(() => sink.end())
  }

  #end(id: string, kept: SubscriptionEntry): void {
    this.#kept.delete(id)
    kept.sink?.end()
    kept.subscription.end()
    if (this.#kept.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  async #with<Result>(named: Named, work: (kept: SubscriptionEntry) => Promise<Result>): Promise<Result> {
    const kept = this.#find(named)
    if (kept === null) throw noSubscription(named.subscriptionId)
    return kept.subscription.serial.run(() => {
      // It may have been deleted in the meantime.
      if (this.#kept.get(named.subscriptionId) !== kept) throw noSubscription(named.subscriptionId)
      return work(kept)
    })
  }

  /** Another client's subscription is treated as missing. */
  #find({ clientId, subscriptionId }: Named): SubscriptionEntry | null {
    const kept = this.#kept.get(subscriptionId)
    // An expired one is deleted by the next check.
    if (kept === undefined || kept.clientId !== clientId || this.#isOld(kept)) return null
    kept.usedMs = this.#parts.nowMs()
    return kept
  }

  async #watch(kept: SubscriptionEntry, monitored: ReadonlyMap<string, Monitored>, caller: I3xCaller): Promise<void> {
    const objects = [...monitored.values()].flatMap((one) => one.objects)
    await kept.subscription.watch(this.#parts.space.byEntity(objects, caller), caller)
    kept.monitored = monitored
  }

  async #changedItems(kept: SubscriptionEntry, roomBytes: number, caller: I3xCaller): Promise<Polled> {
    const ids = [...kept.monitored.values()].flatMap(({ objects }) =>
      objects.flatMap(({ element, object }) => (element.kind === 'item' ? object.elementId : [])),
    )
    const { space, values } = this.#parts
    const now = ids.length === 0 ? [] : await values.current(await space.find(ids, caller), 1, caller)
    const updates: SyncUpdate[] = []
    let bytes = 0
    for (const [elementId, { value, quality, timestamp }] of now) {
      const text = textWithLongs(value)
      if (value === null || kept.sentItems.get(elementId) === text) continue
      if (bytes >= roomBytes) return { updates, bytes, hasMore: true }
      bytes += text.length
      kept.sentItems.set(elementId, text)
      updates.push({ elementId, value, quality, timestamp })
    }
    return { updates, bytes, hasMore: false }
  }
}

const lostText =
  'Updates are missing: the journal no longer holds them (limits.liveKeepMs is how long it does). The missing sequence number represents them. POST /objects/history returns the values.'

const moreText = (waitingBytes: number): string =>
  `There are more updates: unacknowledged updates have reached ${waitingBytes} bytes (i3x.waitingBytes). Sync again with the lastSequenceNumber of the last batch.`

function requireSentBatch(lastSequenceNumber: number, sent: number): void {
  if (lastSequenceNumber === -1 || (lastSequenceNumber >= 0 && lastSequenceNumber <= sent)) return
  throw invalidRequest(
    'lastSequenceNumber',
    `must be that of a batch that was sent (the last one is ${sent}), or -1 for all`,
  )
}

function noSubscription(id: string): Problem {
  const detail = `There is no subscription ${JSON.stringify(id.slice(0, 128))} of this client: it was deleted, was not used for longer than i3x.idleMs, or the service was restarted. Create another one.`
  return new Problem('not_found', detail)
}

function notRegistered(id: string): Problem {
  return new Problem(
    'not_found',
    `The element ${JSON.stringify(id.slice(0, 256))} is not registered with this subscription.`,
  )
}

function streamIsOpen(): Problem {
  return invalidRequest(
    'subscriptionId',
    'has an open stream, which receives the updates. Close it before calling sync',
  )
}

function tooMany(subscriptions: number): Problem {
  return new Problem(
    'overloaded',
    `There are ${subscriptions} subscriptions, which is i3x.subscriptions. Delete one that is not needed, or ask the operator to raise it.`,
    { retryAfterS: 10 },
  )
}

function tooManyElements(objects: number): Problem {
  return invalidRequest(
    'elementIds',
    `the subscription has ${objects} elements, which is i3x.objects. Create another subscription`,
  )
}

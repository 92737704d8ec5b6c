import type { ReceivedMessage } from './broker.ts'

/** A message that is not acknowledged yet. */
interface Kept {
  readonly message: ReceivedMessage
  /** Known rows that are not on disk yet. */
  waiting: number
  /** Whether all its rows are known. */
  isMapped: boolean
}

function isSame(a: ReceivedMessage, b: ReceivedMessage): boolean {
  return a.topic === b.topic && Buffer.compare(a.payload, b.payload) === 0
}

/**
 * Acknowledges messages to the broker in the order of arrival, each after all its rows are on disk. After a broken connection the broker resends
 * messages that were not acknowledged, with their packet ids: such a message is recognized and not processed twice. After its acknowledgement was sent
 * a message is forgotten, because the broker may reuse the id.
 */
export class Acknowledgements {
  readonly #kept = new Map<number, Kept>()
  #order: Kept[] = []
  #acknowledge: ((packetId: number) => void) | null = null

  /** A connection begins. In a new session packet ids mean other messages. */
  begin({ isResumed, acknowledge }: { isResumed: boolean; acknowledge: (packetId: number) => void }): void {
    if (!isResumed) this.#kept.clear()
    this.#acknowledge = acknowledge
  }

  /** The connection has ended: unacknowledged messages will be resent. */
  end(): void {
    this.#acknowledge = null
    this.#order = []
  }

  /** Returns false if the message is a resend of one that is being processed. */
  take(message: ReceivedMessage): boolean {
    if (message.packetId === null) return true
    const before = this.#kept.get(message.packetId)
    const isKnown = message.isAgain && before !== undefined && isSame(before.message, message)
    const kept = isKnown ? before : { message, waiting: 0, isMapped: false }
    this.#kept.set(message.packetId, kept)
    if (!this.#order.includes(kept)) this.#order.push(kept)
    this.#advance()
    return !isKnown
  }

  /** Adds `rows` rows of the message. `hasMore`: further rows follow, because some of it still waits. */
  mapped(message: ReceivedMessage, rows: number, hasMore = false): void {
    const kept = this.#keptOf(message)
    if (kept === null) return
    kept.waiting += rows
    kept.isMapped = !hasMore
    this.#advance()
  }

  /** `rows` rows of the message are on disk. */
  stored(message: ReceivedMessage, rows: number): void {
    const kept = this.#keptOf(message)
    if (kept === null) return
    kept.waiting -= rows
    this.#advance()
  }

  #keptOf(message: ReceivedMessage): Kept | null {
    const kept = message.packetId === null ? undefined : this.#kept.get(message.packetId)
    return kept?.message === message ? kept : null
  }

  #advance(): void {
    let done = 0
    for (const { message, waiting, isMapped } of this.#order) {
      if (!isMapped || waiting > 0 || this.#acknowledge === null) break
      this.#kept.delete(message.packetId!)
      this.#acknowledge(message.packetId!)
      done++
    }
    if (done > 0) this.#order = this.#order.slice(done)
  }
}

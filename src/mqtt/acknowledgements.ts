import type { ReceivedMessage } from './broker.ts'

/** A message that is not acknowledged. */
interface Kept {
  readonly message: ReceivedMessage
  /** Rows that are not on disk yet, of those that are known. */
  waiting: number
  /** All its rows are known. */
  isMapped: boolean
}

function isSame(a: ReceivedMessage, b: ReceivedMessage): boolean {
  return a.topic === b.topic && Buffer.compare(a.payload, b.payload) === 0
}

/**
 * Which messages are acknowledged to the broker: in the order in which they came, and each only once all its rows are on disk. A broker whose
 * connection breaks sends again what was not acknowledged, under the packet id that it had: such a message is known, and is not taken twice.
 * One whose acknowledgement was sent is forgotten: its id may mean another message by now.
 */
export class Acknowledgements {
  readonly #kept = new Map<number, Kept>()
  #order: Kept[] = []
  #acknowledge: ((packetId: number) => void) | null = null

  /** A connection begins. In a session that is another one than before, packet ids mean other messages. */
  begin({ isResumed, acknowledge }: { isResumed: boolean; acknowledge: (packetId: number) => void }): void {
    if (!isResumed) this.#kept.clear()
    this.#acknowledge = acknowledge
  }

  /** The connection is over: what was not acknowledged will come again. */
  end(): void {
    this.#acknowledge = null
    this.#order = []
  }

  /** False where the message came before and is taken care of. */
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

  /** The message has so many rows, and no more unless some of it still waits. */
  mapped(message: ReceivedMessage, rows: number, hasMore = false): void {
    const kept = this.#keptOf(message)
    if (kept === null) return
    kept.waiting += rows
    kept.isMapped = !hasMore
    this.#advance()
  }

  /** So many of the message's rows are on disk. */
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

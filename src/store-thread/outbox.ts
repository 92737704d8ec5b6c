/** What both sides of a channel between threads have. */
export interface MessageSender {
  postMessage(messages: unknown, transfer: ArrayBuffer[]): void
}

/** So many messages leave together; with more, the other thread would wait for them with nothing to do. */
const messagesTogether = 4

/**
 * Messages to another thread, in the order in which they came. Those of one turn of the event loop go together, four at a time: that each would wake
 * the other thread costs more, where many ask at once, than all that is in them.
 */
export class Outbox<Message> {
  readonly #sender: MessageSender
  #messages: Message[] = []
  #transfer: ArrayBuffer[] = []
  #waiting: NodeJS.Immediate | undefined

  constructor(sender: MessageSender) {
    this.#sender = sender
  }

  /** The message leaves when this turn of the event loop ends, or with `flush`; until then what is transferred with it must not be touched. */
  push(message: Message, transfer: readonly ArrayBuffer[] = []): void {
    this.#messages.push(message)
    for (const memory of transfer) this.#transfer.push(memory)
    if (this.#messages.length >= messagesTogether) this.flush()
    else this.#waiting ??= setImmediate(() => this.flush())
  }

  /** Sends these at once, behind what waits and in one list with it. */
  send(messages: readonly Message[]): void {
    for (const message of messages) this.#messages.push(message)
    this.flush()
  }

  /** Sends all that waits, as one list. */
  flush(): void {
    if (this.#messages.length === 0) return
    clearImmediate(this.#waiting)
    this.#waiting = undefined
    const messages = this.#messages
    const transfer = this.#transfer
    this.#messages = []
    this.#transfer = []
    this.#sender.postMessage(messages, transfer)
  }
}

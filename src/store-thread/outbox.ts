/** The interface that both sides of a channel between threads share. */
export interface MessageSender {
  postMessage(messages: unknown, transfer: ArrayBuffer[]): void
}

/** The most messages sent together; with more, the other thread would sit idle until they arrive. */
const messagesTogether = 4

/**
 * Messages to another thread, in order. Those of one turn of the event loop are sent together, four at a time: with many concurrent requests, waking the
 * other thread for each message would cost more than the messages themselves.
 */
export class Outbox<Message> {
  readonly #sender: MessageSender
  #messages: Message[] = []
  #transfer: ArrayBuffer[] = []
  #waiting: NodeJS.Immediate | undefined

  constructor(sender: MessageSender) {
    this.#sender = sender
  }

  /** The message is sent when this turn of the event loop ends, or with `flush`. Until then the transferred memory must not be touched. */
  push(message: Message, transfer: readonly ArrayBuffer[] = []): void {
    this.#messages.push(message)
    for (const memory of transfer) this.#transfer.push(memory)
    if (this.#messages.length >= messagesTogether) this.flush()
    else this.#waiting ??= setImmediate(() => this.flush())
  }

  /** Sends these at once, after the waiting messages and in one list with them. */
  send(messages: readonly Message[]): void {
    for (const message of messages) this.#messages.push(message)
    this.flush()
  }

  /** Sends all waiting messages as one list. */
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

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Cancellation } from '../lib/cancellation.ts'
import { Slots } from '../lib/slots.ts'

const flightOf = Symbol('flight')

declare module 'node:http' {
  interface ServerResponse {
    [flightOf]?: Flight | undefined
  }
}

/** A reply of the framework, or what stands for one. */
export interface AnswerInFlight {
  readonly raw: ServerResponse
  readonly request: { readonly raw: IncomingMessage }
  /** Whether its answer is under way. */
  readonly sent: boolean
  /** Answers with an error. */
  send(error: Error): unknown
}

interface Flight {
  reply: AnswerInFlight
  cancellation: Cancellation | null
  /** Rises with each that begins. */
  readonly number: number
  readonly slot: number
}

/** The requests that are not answered yet, so that a stop can wait for them and then end the rest. */
export class InFlight {
  /** Their order is that of their numbers. */
  readonly #flights = new Slots<Flight>()
  #begun = 0
  #stopping = false
  #whenEmpty: (() => void) | null = null
  readonly #onStop: (() => void)[] = []
  readonly #closed: (this: ServerResponse) => void

  constructor() {
    const closed = (response: ServerResponse): void => this.#end(response)
    // One listener for all responses: which of them closed is its `this`.
    this.#closed = function (this: ServerResponse) {
      closed(this)
    }
  }

  /** New requests are refused from now on. Who is answered learns that his connection ends, and sends nothing more on it. */
  stop(): void {
    this.#stopping = true
    for (const listener of this.#onStop) listener()
    // Of answers that wait behind each other only the last: none is sent behind the one that says so.
    const lastOn = new Map(this.#inOrder().map(({ reply }) => [reply.request.raw.socket, reply.raw]))
    for (const response of lastOn.values()) if (!response.headersSent) response.setHeader('connection', 'close')
  }

  /** Called when the server stops: what would go on for ever ends itself. */
  onStop(listener: () => void): void {
    this.#onStop.push(listener)
  }

  get stopping(): boolean {
    return this.#stopping
  }

  begin(reply: AnswerInFlight): void {
    const { raw } = reply
    // It would never be told to end.
    if (raw.destroyed) return
    const known = raw[flightOf]
    if (known !== undefined) {
      known.reply = reply
      known.cancellation = null
      return
    }
    const number = this.#begun++
    raw[flightOf] = this.#flights.add((slot) => ({ reply, cancellation: null, number, slot }))
    raw.on('close', this.#closed)
  }

  /** Is cancelled when the client goes away before its answer is whole, or the server stops. */
  cancellation(reply: Pick<AnswerInFlight, 'raw'>): Cancellation {
    const cancellation = new Cancellation()
    const flight = reply.raw[flightOf]
    if (flight === undefined) cancellation.cancel()
    else flight.cancellation = cancellation
    return cancellation
  }

  /** As `cancellation`, for what takes an AbortSignal alone. */
  signal(reply: Pick<AnswerInFlight, 'raw'>): AbortSignal {
    return this.cancellation(reply).signal
  }

  /**
   * The answers that are still to come on this connection, in their order. Of a pipelined request its own connection is known from the
   * beginning, and that of its answer only when it has its turn.
   */
  on(socket: Socket): readonly { readonly response: ServerResponse; readonly hasArrived: boolean }[] {
    return this.#inOrder()
      .filter(({ reply }) => reply.request.raw.socket === socket)
      .map(({ reply }) => ({ response: reply.raw, hasArrived: reply.request.raw.complete }))
  }

  /** Resolves once nothing is in flight. */
  async empty(): Promise<void> {
    if (this.#flights.size === 0) return
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve
    })
  }

  /** Answers all that have no answer yet with `error`, and cuts off what is being sent. */
  endAll(error: Error): void {
    for (const { reply, cancellation } of this.#flights.values()) {
      if (reply.sent) reply.raw.destroy()
      else reply.send(error)
      cancellation?.cancel(error)
    }
  }

  #inOrder(): Flight[] {
    return this.#flights.values().sort((one, other) => one.number - other.number)
  }

  #end(response: ServerResponse): void {
    const flight = response[flightOf]
    if (flight === undefined) return
    response[flightOf] = undefined
    this.#flights.free(flight.slot)
    if (!response.writableFinished) flight.cancellation?.cancel()
    if (this.#flights.size === 0) this.#whenEmpty?.()
  }
}

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

/** A reply of the framework, or a substitute for one. */
export interface AnswerInFlight {
  readonly raw: ServerResponse
  readonly request: { readonly raw: IncomingMessage }
  /** Whether its response has been started. */
  readonly sent: boolean
  /** Responds with an error. */
  send(error: Error): unknown
}

interface Flight {
  reply: AnswerInFlight
  cancellation: Cancellation | null
  /** Increases with each request. */
  readonly number: number
  readonly slot: number
}

/** The requests without a complete response, so that a stop can wait for them and then end the rest. */
export class InFlight {
  /** Slots are reused, so requests are ordered by `number`. */
  readonly #flights = new Slots<Flight>()
  #begun = 0
  #stopping = false
  #whenEmpty: (() => void) | null = null
  readonly #onStop: (() => void)[] = []
  readonly #closed: (this: ServerResponse) => void

  constructor() {
    const closed = (response: ServerResponse): void => this.#end(response)
    // One listener for all responses: `this` is the closed one.
    this.#closed = function (this: ServerResponse) {
      closed(this)
    }
  }

  /** Refuses new requests from now on. Responses announce the end of their connection, so that clients send nothing more on it. */
  stop(): void {
    this.#stopping = true
    for (const listener of this.#onStop) listener()
    // Only the last of several queued responses on a connection: none is sent after the one with this header.
    const lastOn = new Map(this.#inOrder().map(({ reply }) => [reply.request.raw.socket, reply.raw]))
    for (const response of lastOn.values()) if (!response.headersSent) response.setHeader('connection', 'close')
  }

  /** Registers a listener for the stop of the server, by which endless responses end themselves. */
  onStop(listener: () => void): void {
    this.#onStop.push(listener)
  }

  get stopping(): boolean {
    return this.#stopping
  }

  begin(reply: AnswerInFlight): void {
    const { raw } = reply
    // A destroyed response emits no more `close`.
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

  /** Canceled when the client disconnects before its response is complete, or when the server stops. */
  cancellation(reply: Pick<AnswerInFlight, 'raw'>): Cancellation {
    const cancellation = new Cancellation()
    const flight = reply.raw[flightOf]
    if (flight === undefined) cancellation.cancel()
    else flight.cancellation = cancellation
    return cancellation
  }

  /** Like `cancellation`, for code that accepts only an AbortSignal. */
  signal(reply: Pick<AnswerInFlight, 'raw'>): AbortSignal {
    return this.cancellation(reply).signal
  }

  /** The pending responses on this connection, in order. Found by the request: a pipelined response has no socket until its turn. */
  on(socket: Socket): readonly { readonly response: ServerResponse; readonly hasArrived: boolean }[] {
    return this.#inOrder()
      .filter(({ reply }) => reply.request.raw.socket === socket)
      .map(({ reply }) => ({ response: reply.raw, hasArrived: reply.request.raw.complete }))
  }

  /** Resolves when nothing is in flight. */
  async empty(): Promise<void> {
    if (this.#flights.size === 0) return
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve
    })
  }

  /** Responds with `error` to all requests without a response, and destroys the responses being sent. */
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

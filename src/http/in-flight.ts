import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Cancellation } from '../lib/cancellation.ts'

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
  readonly reply: AnswerInFlight
  cancellation: Cancellation | null
}

/** The requests that are not answered yet, so that a stop can wait for them and then end the rest. */
export class InFlight {
  readonly #flights = new Map<ServerResponse, Flight>()
  #stopping = false
  #whenEmpty: (() => void) | null = null
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
    for (const response of this.#flights.keys()) if (!response.headersSent) response.setHeader('connection', 'close')
  }

  get stopping(): boolean {
    return this.#stopping
  }

  begin(reply: AnswerInFlight): void {
    // It would never be told to end.
    if (reply.raw.destroyed) return
    this.#flights.set(reply.raw, { reply, cancellation: null })
    reply.raw.on('close', this.#closed)
  }

  /** Is cancelled when the client goes away before its answer is whole, or the server stops. */
  cancellation(reply: Pick<AnswerInFlight, 'raw'>): Cancellation {
    const cancellation = new Cancellation()
    const flight = this.#flights.get(reply.raw)
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
    const found = []
    for (const [response, { reply }] of this.#flights) {
      const { raw } = reply.request
      if (raw.socket === socket) found.push({ response, hasArrived: raw.complete })
    }
    return found
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
    for (const [response, { reply, cancellation }] of this.#flights) {
      if (reply.sent) response.destroy()
      else reply.send(error)
      cancellation?.cancel(error)
    }
  }

  #end(response: ServerResponse): void {
    const flight = this.#flights.get(response)
    this.#flights.delete(response)
    if (!response.writableFinished) flight?.cancellation?.cancel()
    if (this.#flights.size === 0) this.#whenEmpty?.()
  }
}

// Updates of subscriptions as server-sent events.
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { I3xCaller } from '../i3x/caller.ts'
import type { Named, Sink, Subscriptions } from '../i3x/subscriptions.ts'
import { textWithLongs } from '../lib/json-with-longs.ts'
import { commonHeaders } from './common-headers.ts'

interface OpenStream {
  readonly raw: ServerResponse
  readonly caller: () => I3xCaller | null
  /** For how many seconds the client has taken nothing of what is written. */
  idleSeconds: number
}

const secondMs = 1000
const commentEverySeconds = 15
const accessEverySeconds = 2
/** With more than that before it, the client is told no more until it has taken it. */
const aheadBytes = 256 * 1024

/** The streams of one server. One timer serves all of them. */
export class I3xStreams {
  readonly #subscriptions: Pick<Subscriptions, 'open'>
  readonly #sendIdleMs: number
  readonly #streams = new Set<OpenStream>()
  #seconds = 0
  #timer: NodeJS.Timeout | null = null

  constructor(subscriptions: Pick<Subscriptions, 'open'>, sendIdleMs: number) {
    this.#subscriptions = subscriptions
    this.#sendIdleMs = sendIdleMs
  }

  /** Answers with the stream; rejects with a Problem where there is no such subscription. */
  async open(
    { id }: FastifyRequest,
    reply: FastifyReply,
    named: Named,
    caller: () => I3xCaller | null,
  ): Promise<FastifyReply> {
    const { raw } = reply
    const stream: OpenStream = { raw, caller, idleSeconds: 0 }
    const sink: Sink = {
      isBusy: () => raw.writableLength > aheadBytes,
      write: (updates) => {
        if (!raw.writableEnded && !raw.destroyed) raw.write(`data: ${textWithLongs(updates)}\n\n`)
      },
      end: () => raw.end(),
      caller,
    }
    const { more, close } = await this.#subscriptions.open(named, sink)
    if (raw.closed || raw.destroyed) {
      close()
      return reply
    }
    reply.hijack()
    for (const [name, value] of Object.entries(commonHeaders(id))) raw.setHeader(name, value)
    // Proxies that know the last one do not hold the events back.
    raw.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' })
    raw.write(':\n\n')
    raw.on('drain', () => {
      stream.idleSeconds = 0
      more()
    })
    raw.once('close', () => {
      this.#streams.delete(stream)
      this.#keepTime()
      close()
    })
    this.#streams.add(stream)
    this.#keepTime()
    more()
    return reply
  }

  #keepTime(): void {
    if (this.#streams.size > 0) this.#timer ??= setInterval(() => this.#second(), secondMs).unref()
    else if (this.#timer !== null) {
      clearInterval(this.#timer)
      this.#timer = null
    }
  }

  #second(): void {
    this.#seconds++
    for (const stream of this.#streams) {
      const { raw, caller } = stream
      if (this.#seconds % accessEverySeconds === 0 && caller() === null) raw.end()
      else if (raw.writableNeedDrain && ++stream.idleSeconds * secondMs > this.#sendIdleMs) raw.destroy()
      else if (this.#seconds % commentEverySeconds === 0 && !raw.writableNeedDrain) raw.write(':\n\n')
    }
  }
}

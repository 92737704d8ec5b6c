// Responses without end: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { commonHeaders } from './common-headers.ts'

export interface EventStream {
  readonly raw: ServerResponse
  /** Whether its reader still has access; if not, the stream is ended. */
  readonly isAllowed: () => boolean
  readonly end: () => void
  readonly everySecond: () => void
}

const secondMs = 1000
/** Intervals in seconds: between comments, and between access checks. */
const commentEvery = 15
const accessEvery = 2
/** With more unread bytes than this, a reader is sent nothing more until it has read them. */
export const aheadBytes = 256 * 1024

/** Time until the head was sent. */
const headMs = new WeakMap<ServerResponse, number>()

/** Time until a stream began, which then continues for as long as its reader wants; undefined for other responses. */
export function msToStream(raw: ServerResponse): number | undefined {
  return headMs.get(raw)
}

export const isOver = (raw: ServerResponse): boolean => raw.writableEnded || raw.destroyed

/** The streams of one server. One timer serves all of them, because a thousand timers would wake a thousand times a second. */
export class EventStreams<Stream extends EventStream = EventStream> extends Set<Stream> {
  #seconds = 0
  #timer: NodeJS.Timeout | null = null

  /** Sends the head and adds the stream. */
  begin(requestId: string, reply: FastifyReply, stream: Stream): void {
    const { raw } = stream
    reply.hijack()
    for (const [name, value] of Object.entries({ ...commonHeaders(requestId), ...reply.getHeaders() })) {
      if (value !== undefined) raw.setHeader(name, value)
    }
    // Proxies that know X-Accel-Buffering do not buffer the events.
    raw.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
    headMs.set(raw, reply.elapsedTime)
    this.add(stream)
    this.#timer ??= setInterval(() => this.#second(), secondMs).unref()
  }

  override delete(stream: Stream): boolean {
    const isDeleted = super.delete(stream)
    if (this.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer)
      this.#timer = null
    }
    return isDeleted
  }

  #second(): void {
    this.#seconds++
    for (const stream of this) {
      const { raw } = stream
      if (this.#seconds % accessEvery === 0 && !stream.isAllowed()) stream.end()
      else stream.everySecond()
      if (this.#seconds % commentEvery === 0 && !isOver(raw) && !raw.writableNeedDrain) raw.write(':\n\n')
    }
  }
}

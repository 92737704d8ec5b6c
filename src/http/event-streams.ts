// Answers that go on: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { commonHeaders } from './common-headers.ts'

export interface EventStream {
  readonly raw: ServerResponse
  /** Whether its reader may still read; where not, it is ended. */
  readonly isAllowed: () => boolean
  readonly end: () => void
  readonly everySecond: () => void
}

const secondMs = 1000
/** In seconds. */
const commentEvery = 15
const accessEvery = 2
/** With more than that before him, a reader is told no more of what waits until he has taken it. */
export const aheadBytes = 256 * 1024

/** How long it took until the head had left. */
const headMs = new WeakMap<ServerResponse, number>()

/** How long a stream took to begin, which then goes on for as long as its reader likes; undefined of other answers. */
export function msToStream(raw: ServerResponse): number | undefined {
  return headMs.get(raw)
}

export const isOver = (raw: ServerResponse): boolean => raw.writableEnded || raw.destroyed

/** The streams of one server. One timer serves all of them: a thousand of their own would be a thousand wakes a second. */
export class EventStreams<Stream extends EventStream = EventStream> extends Set<Stream> {
  #seconds = 0
  #timer: NodeJS.Timeout | null = null

  /** Sends the head. */
  begin(requestId: string, reply: FastifyReply, stream: Stream): void {
    const { raw } = stream
    reply.hijack()
    for (const [name, value] of Object.entries({ ...commonHeaders(requestId), ...reply.getHeaders() })) {
      if (value !== undefined) raw.setHeader(name, value)
    }
    // Proxies that know the second one do not hold the events back.
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

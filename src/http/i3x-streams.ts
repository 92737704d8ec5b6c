// Updates of i3X subscriptions as server-sent events.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { I3xCaller } from '../i3x/caller.ts'
import type { Named, Sink, Subscriptions } from '../i3x/subscriptions.ts'
import { textWithLongs } from '../lib/json-with-longs.ts'
import { aheadBytes, type EventStream, EventStreams, isOver } from './event-streams.ts'

/** The streams of one server. */
export class I3xStreams {
  readonly #subscriptions: Pick<Subscriptions, 'open'>
  readonly #sendIdleMs: number
  readonly #streams = new EventStreams()

  constructor(subscriptions: Pick<Subscriptions, 'open'>, sendIdleMs: number) {
    this.#subscriptions = subscriptions
    this.#sendIdleMs = sendIdleMs
  }

  /** Responds with the stream; rejects with a Problem when there is no such subscription. */
  async open(
    { id }: FastifyRequest,
    reply: FastifyReply,
    named: Named,
    caller: () => I3xCaller | null,
  ): Promise<FastifyReply> {
    const { raw } = reply
    /** For how long the client has read nothing of what was written. */
    let idleSeconds = 0
    const end = (): void => void raw.end()
    const everySecond = (): void => {
      if (raw.writableNeedDrain && ++idleSeconds * 1000 > this.#sendIdleMs) raw.destroy()
    }
    const stream: EventStream = { raw, isAllowed: () => caller() !== null, end, everySecond }
    const sink: Sink = {
      isBusy: () => raw.writableLength > aheadBytes,
      write: (updates) => {
        if (!isOver(raw)) raw.write(`data: ${textWithLongs(updates)}\n\n`)
      },
      end,
      caller,
    }
    const { more, close } = await this.#subscriptions.open(named, sink)
    if (raw.closed || raw.destroyed) {
      close()
      return reply
    }
    this.#streams.begin(id, reply, stream)
    raw.write(':\n\n')
    raw.on('drain', () => {
      idleSeconds = 0
      more()
    })
    raw.once('close', () => {
      this.#streams.delete(stream)
      close()
    })
    more()
    return reply
  }
}

// Rows as server-sent events.
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { selectionAnswer } from '../admin/deletion-schemas.ts'
import type { FollowedRows, Live } from '../live/live.ts'
import type { Following, LiveStart, LiveUpdate, SentDeletion } from '../live/live-rows.ts'
import { aheadBytes, type EventStream, EventStreams, isOver } from './event-streams.ts'
import { cutOffIdle } from './idle-clients.ts'

type LivePort = Pick<Live<LiveStart>, 'follow' | 'idOf'>

export interface LiveStreamSettings {
  /** `limits.liveBytes`. */
  readonly liveBytes: number
  /** `limits.liveTotalBytes`: one half for open streams, the other half for streams being closed. */
  readonly liveTotalBytes: number
  readonly sendIdleMs: number
}

interface OpenStream extends EventStream {
  readonly asked: FollowedRows
  following: Following | null
  /** From then on rows are sent as they arrive. */
  hasCaughtUp: boolean
  /** The position of the last id sent, and the position up to which the entity is known. */
  sentPosition: LiveStart
  position: LiveStart
}

/** The streams of one server. */
export class LiveStreams {
  readonly #live: LivePort
  readonly #settings: LiveStreamSettings
  readonly #streams = new EventStreams<OpenStream>()
  /** Encoded events. Many readers receive the same ones, so each is encoded once. */
  readonly #frames = new WeakMap<LiveUpdate<LiveStart>, Buffer>()
  /** Responses that got the event `behind` and still have unread data. */
  readonly #closing = new Set<ServerResponse>()
  /** At least the bytes of rows that readers have not read yet. */
  #unsentBytes = 0

  constructor(live: LivePort, settings: LiveStreamSettings) {
    this.#live = live
    this.#settings = settings
  }

  /** Responds with the stream. Resolves after its head was sent; rejects with a Problem when there is no stream. */
  async open(
    { id }: FastifyRequest,
    reply: FastifyReply,
    asked: FollowedRows,
    { lastId, isAllowed }: { readonly lastId: string | null; readonly isAllowed: () => boolean },
  ): Promise<void> {
    const { raw } = reply
    const stream: OpenStream = {
      ...{ raw, asked, isAllowed, following: null, hasCaughtUp: false, sentPosition: '', position: '' },
      ...{ end: () => this.#end(stream), everySecond: () => this.#sendPosition(stream) },
    }
    let begin = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const following = await this.#live.follow(asked, lastId, {
      begun: (position, isReset) => {
        if (!raw.destroyed && !reply.sent) this.#begin(id, reply, stream, { position, isReset })
        begin()
      },
      update: (update) => this.#update(stream, update),
      caughtUp: () => {
        stream.hasCaughtUp = true
      },
      lost: () => this.#behind(stream, 'liveBytes'),
    })
    stream.following = following
    const closed = (): void => {
      this.#streams.delete(stream)
      following.end()
      begin()
    }
    if (raw.closed || raw.destroyed) closed()
    else raw.once('close', closed)
    await begun
  }

  /** Called when the server stops. */
  endAll(): void {
    for (const stream of this.#streams) this.#end(stream)
  }

  #begin(
    requestId: string,
    reply: FastifyReply,
    stream: OpenStream,
    { position, isReset }: { readonly position: LiveStart; readonly isReset: boolean },
  ): void {
    const { raw, asked } = stream
    this.#streams.begin(requestId, reply, stream)
    stream.sentPosition = position
    stream.position = position
    const block = `id: ${this.#live.idOf(asked, position)}\n`
    raw.write(isReset ? `${block}event: reset\ndata: {"date":null}\n\n` : `${block}\n`)
    raw.on('drain', () => stream.following?.wait(false))
  }

  #update(stream: OpenStream, update: LiveUpdate<LiveStart>): void {
    const { raw, asked } = stream
    if (isOver(raw)) return
    const sentPosition = update.deletion === undefined ? update.rows.at(-1)?.position : update.position
    stream.position = update.position
    if (sentPosition === undefined) return
    if (stream.hasCaughtUp && raw.writableLength > this.#settings.liveBytes) {
      this.#behind(stream, 'liveBytes')
      return
    }
    const frame = this.#frame(asked, update)
    raw.write(frame)
    stream.sentPosition = sentPosition
    this.#unsentBytes += frame.length
    if (this.#unsentBytes > this.#settings.liveTotalBytes / 2) this.#dropSlowest()
    if (raw.writableLength > aheadBytes) stream.following?.wait(true)
  }

  #frame(asked: FollowedRows, update: LiveUpdate<LiveStart>): Buffer {
    const known = this.#frames.get(update)
    if (known !== undefined) return known
    const blocks = update.rows.map(({ items, position }) => this.#block(asked, position, 'rows', items))
    if (update.deletion !== undefined)
      blocks.push(this.#block(asked, update.position, 'deleted', deletedText(update.deletion)))
    const frame = Buffer.from(blocks.join(''))
    this.#frames.set(update, frame)
    return frame
  }

  #block(asked: FollowedRows, position: LiveStart, event: string, data: string): string {
    return `id: ${this.#live.idOf(asked, position)}\nevent: ${event}\ndata: ${data}\n\n`
  }

  /** Notifies a reader that it has fallen behind, and closes its stream. The last id stays valid: a new stream continues from it. */
  #behind(stream: OpenStream, limit: 'liveBytes' | 'liveTotalBytes'): void {
    const { raw } = stream
    if (isOver(raw)) return
    raw.write(`event: behind\ndata: {"${limit}":${this.#settings[limit]}}\n\n`)
    cutOffIdle(raw, this.#settings.sendIdleMs)
    this.#closing.add(raw)
    raw.once('close', () => this.#closing.delete(raw))
    this.#end(stream)
  }

  /** Closes the streams that are furthest behind, and destroys closing ones that are not read either. */
  #dropSlowest(): void {
    const halfBytes = this.#settings.liveTotalBytes / 2
    const streams = [...this.#streams].toSorted((one, other) => other.raw.writableLength - one.raw.writableLength)
    this.#unsentBytes = unsentBytes(streams.map(({ raw }) => raw))
    for (const stream of streams) {
      if (this.#unsentBytes <= halfBytes) break
      this.#unsentBytes -= stream.raw.writableLength
      this.#behind(stream, 'liveTotalBytes')
    }
    const closing = [...this.#closing].toSorted((one, other) => other.writableLength - one.writableLength)
    let closingBytes = unsentBytes(closing)
    for (const raw of closing) {
      if (closingBytes <= halfBytes) break
      closingBytes -= raw.writableLength
      raw.destroy()
    }
  }

  #end(stream: OpenStream): void {
    this.#streams.delete(stream)
    stream.following?.end()
    stream.following = null
    stream.raw.end()
  }

  /** Sends the position also after rows that the reader has not asked for, so that a new stream continues from there. */
  #sendPosition(stream: OpenStream): void {
    const { raw, asked, position, sentPosition } = stream
    if (position === sentPosition) return
    stream.sentPosition = position
    raw.write(`id: ${this.#live.idOf(asked, position)}\n\n`)
  }
}

function deletedText({ deletionId: id, isUndone, selection }: SentDeletion): string {
  return JSON.stringify({ id, selection: selectionAnswer(selection), ...(isUndone ? { undone: true } : {}) })
}

function unsentBytes(answers: readonly ServerResponse[]): number {
  return answers.reduce((bytes, { writableLength }) => bytes + writableLength, 0)
}

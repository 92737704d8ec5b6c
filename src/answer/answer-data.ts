// A whole answer as plain data, which may cross threads, and how its body is read.
import { close, openSync, read, unlinkSync } from 'node:fs'
import { promisify } from 'node:util'
import { shortChunkBytes } from './spare-chunks.ts'
import type { Answer } from './whole-answer.ts'

/**
 * Chunks have memory of their own; a file is deleted by whoever opens the answer. A short body is a text of one character a byte (latin1): copying it to
 * another thread costs a third of handing over its memory.
 */
export type BodyData =
  | { readonly kind: 'short'; readonly bytes: string }
  | { readonly kind: 'memory'; readonly chunks: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly kind: 'file'; readonly path: string }

export interface AnswerData {
  readonly rows: number
  readonly bytes: number
  readonly body: BodyData
}

const pieceBytes = 256 * 1024
/**
 * A file's pieces are read into the same memory again and again, in turn: fresh memory for each would be given back in long pauses of the
 * garbage collector.
 */
export const filePieces = 8

/** Called once, when nobody needs the body any more, with the memory that may be written again. */
type Released = (memory: readonly ArrayBuffer[]) => void

/** Takes over the answer's body. */
export function openAnswer({ rows, bytes, body }: AnswerData, released: Released = () => undefined): Answer {
  if (body.kind === 'short') return new ShortAnswer(rows, body.bytes, released)
  const file = body.kind === 'file' ? new BodyFile(body.path, bytes) : null
  return {
    rows,
    bytes,
    chunks: body.kind === 'memory' ? body.chunks : file!,
    release: once((isSent = false) => {
      file?.close()
      released(isSent && body.kind === 'memory' ? body.chunks.map((chunk) => chunk.buffer) : [])
    }),
  }
}

/** It is mostly sent as the text that it is: its bytes are made for who asks for them. */
class ShortAnswer implements Answer {
  readonly rows: number
  readonly bytes: number
  readonly text: string
  #released: Released | null

  constructor(rows: number, text: string, released: Released) {
    this.rows = rows
    this.bytes = text.length
    this.text = text
    this.#released = released
  }

  get chunks(): readonly Uint8Array[] {
    return [Buffer.from(this.text, 'latin1')]
  }

  release(): void {
    const released = this.#released
    this.#released = null
    released?.([])
  }
}

/** The answer as it crosses threads at the least cost; `spare` is given memory that may be written again, because it stays. */
export function packed(answer: AnswerData, spare: (memory: readonly ArrayBuffer[]) => void): AnswerData {
  const { body, bytes } = answer
  if (body.kind !== 'memory' || bytes > shortChunkBytes) return answer
  const [chunk] = body.chunks
  if (chunk === undefined || body.chunks.length > 1) return answer
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
  spare([chunk.buffer])
  return { ...answer, body: { kind: 'short', bytes: text } }
}

function once(release: Answer['release']): Answer['release'] {
  let isReleased = false
  return (isSent) => {
    if (isReleased) return
    isReleased = true
    release(isSent)
  }
}

const readAt = promisify(read)

/**
 * A file that is gone from its folder as soon as it is open: whatever ends this process, the disk gets its space back. It is opened at
 * once, without waiting for a turn, so that no file is left to one who died before he took it.
 */
class BodyFile implements AsyncIterable<Uint8Array> {
  readonly #fd: number
  readonly #bytes: number
  readonly #pieces: Buffer[] = []
  #reading = false
  #closed = false

  constructor(path: string, bytes: number) {
    this.#fd = openSync(path, 'r')
    this.#bytes = bytes
    unlinkSync(path)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (let at = 0, count = 0; at < this.#bytes; count++) {
      const piece = this.#piece(count).subarray(0, this.#bytes - at)
      const read = await this.#read(piece, at)
      if (read === 0) throw new Error(`the file of an answer has ${at} bytes, not ${this.#bytes}`)
      at += read
      yield piece.subarray(0, read)
    }
  }

  #piece(count: number): Buffer {
    const place = count % filePieces
    const piece = this.#pieces[place] ?? Buffer.allocUnsafeSlow(Math.min(pieceBytes, this.#bytes))
    this.#pieces[place] = piece
    return piece
  }

  /** A read in flight is waited for: its number could be that of another file by then. */
  close(): void {
    this.#closed = true
    if (!this.#reading) this.#closeNow()
  }

  async #read(piece: Uint8Array, at: number): Promise<number> {
    if (this.#closed) throw new Error('the answer was released before it was read')
    this.#reading = true
    try {
      return (await readAt(this.#fd, piece, 0, piece.length, at)).bytesRead
    } finally {
      this.#reading = false
      if (this.#closed) this.#closeNow()
    }
  }

  #closeNow(): void {
    close(this.#fd)
  }
}

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
  const chunks = chunksOf(body, bytes)
  return {
    rows,
    bytes,
    chunks,
    release: once((isSent = false) => {
      if (chunks instanceof BodyFile) chunks.close()
      released(isSent && body.kind === 'memory' ? body.chunks.map((chunk) => chunk.buffer) : [])
    }),
  }
}

function chunksOf(body: AnswerData['body'], bytes: number): readonly Uint8Array[] | BodyFile {
  switch (body.kind) {
    case 'short':
      return [Buffer.from(body.bytes, 'latin1')]
    case 'memory':
      return body.chunks
    default:
      return new BodyFile(body.path, bytes)
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

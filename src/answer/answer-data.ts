// A complete answer as plain data that can be transferred between threads, and how its body is read.
import { close, openSync, read, unlinkSync } from 'node:fs'
import { promisify } from 'node:util'
import { shortChunkBytes } from './spare-chunks.ts'
import type { Answer } from './whole-answer.ts'

/**
 * Chunks own their memory; a file is deleted when the answer is opened. A short body is a latin1 string, one character a byte: copying it to
 * another thread costs a third of transferring its memory.
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
 * Pieces of a file are read into this many buffers in turn. Allocating a new buffer for each piece would cause long garbage collection
 * pauses.
 */
export const filePieces = 8

/** Called once, when the body is no longer needed, with the memory that may be reused. */
type Released = (memory: readonly ArrayBuffer[]) => void

/** Takes ownership of the answer's body. */
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

/** Repacks an answer so that it crosses threads at the least cost. `spare` receives memory that is not transferred and may be reused. */
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
 * A file that is unlinked right after it is opened, so that the disk space is freed however this process ends. It is opened synchronously, so
 * that no file is left behind if its owner dies before opening it.
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

  /** Waits for a read in progress: otherwise its file descriptor could already belong to another file. */
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

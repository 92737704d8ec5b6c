// Where an answer is kept until it is whole: in memory up to a bound, then in a temporary file.
import { type FileHandle, mkdir, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../model/problem.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import type { StoredBody } from './stored-answer.ts'

/** How much room one answer has. */
export interface SpoolRoom {
  /** What is kept in memory; the rest, and all of what is longer, goes to a file. */
  readonly memoryBytes: number
  readonly fileBytes: number
}

/** Makes an empty folder of it: what lies there was left by a process or thread that died. */
export async function clearSpool(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const name of await readdir(directory)) await unlink(join(directory, name))
}

export class Spool {
  readonly #chunks: ChunkWriter
  readonly #room: SpoolRoom
  readonly #path: string
  #file: FileHandle | null = null
  #fileBytes = 0

  /** Keeps what is written to `chunks`; `path` is where its file would be. */
  constructor(chunks: ChunkWriter, room: SpoolRoom, path: string) {
    this.#chunks = chunks
    this.#room = room
    this.#path = path
  }

  /** Whether there is more in memory than may be: `putAway` is due. */
  get isDue(): boolean {
    return this.#chunks.fullBytes > (this.#file === null ? this.#room.memoryBytes : 0)
  }

  /** Writes what is full to the file. Throws Problem `overloaded` when there is no room for it. */
  async putAway(): Promise<void> {
    await this.#write(this.#chunks.take())
  }

  /** The whole body. Throws Problem `result_too_large` and `overloaded`. */
  async finish(): Promise<StoredBody> {
    const chunks = this.#chunks.finish()
    if (this.#file === null) return { kind: 'memory', chunks: chunks.map(ofItsOwn) }
    await this.#write(chunks)
    const file = this.#file
    this.#file = null
    await file.close()
    return { kind: 'file', path: this.#path }
  }

  /** Forgets what was kept; after `finish` there is nothing to forget. */
  async discard(): Promise<void> {
    const file = this.#file
    if (file === null) return
    this.#file = null
    await file.close()
    await unlink(this.#path)
  }

  async #write(chunks: readonly Uint8Array[]): Promise<void> {
    this.#file ??= await open(this.#path, 'wx')
    for (const chunk of chunks) this.#fileBytes += chunk.length
    if (this.#fileBytes > this.#room.fileBytes) throw noRoom()
    await writeAll(this.#file, chunks)
    this.#chunks.giveBack(chunks)
  }
}

async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
  }
}

function ofItsOwn(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = chunk
  if (!(buffer instanceof ArrayBuffer)) throw new Error('a chunk lies in memory that is shared')
  return new Uint8Array(buffer, byteOffset, length)
}

function noRoom(): Problem {
  return new Problem(
    'overloaded',
    'Answers that wait for their readers take all the room that spool.fileBytes gives them. Ask again in a moment, or for less.',
  )
}

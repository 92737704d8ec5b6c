// Stores an answer until it is complete: in memory up to a limit, then in a temporary file.

import { join } from 'node:path'
import { type Disk, type DiskFile, isDiskFull } from '../lib/disk.ts'
import { messageOf } from '../lib/message-of.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { Problem } from '../model/problem.ts'
import type { BodyData } from './answer-data.ts'
import type { ChunkWriter } from './chunk-writer.ts'

const diskFullRetryAfterS = 5

/** The space available to one answer. */
export interface SpoolBudget {
  /** The memory limit; an answer that exceeds it is stored in a file entirely. */
  readonly memoryBytes: number
  readonly fileBytes: number
}

/** Creates the folder, or empties it: files in it were left behind by a process or thread that died. */
export async function clearSpool(directory: string, disk: Disk = nodeDisk): Promise<void> {
  await disk.makeDirectory(directory)
  for (const name of await disk.list(directory)) await disk.remove(join(directory, name))
}

/** Where the file of an answer is created. */
export interface SpoolPlace {
  readonly disk: Disk
  /** Called only when a file is created; most answers need none. */
  readonly newPath: () => string
}

export class Spool {
  readonly #chunks: ChunkWriter
  readonly #budget: SpoolBudget
  readonly #place: SpoolPlace
  #file: DiskFile | null = null
  #path = ''
  #fileBytes = 0

  /** Stores the contents of `chunks`. */
  constructor(chunks: ChunkWriter, budget: SpoolBudget, place: SpoolPlace) {
    this.#chunks = chunks
    this.#budget = budget
    this.#place = place
  }

  /** Whether memory use exceeds the limit, so that `flushToFile` should be called. */
  get isDue(): boolean {
    return this.#chunks.fullBytes > (this.#file === null ? this.#budget.memoryBytes : 0)
  }

  /** Writes the full chunks to the file. Throws Problem `overloaded` if there is no space, an Error if the disk fails. */
  async flushToFile(): Promise<void> {
    await this.#write(this.#chunks.take())
  }

  /** The complete body. Throws Problem `result_too_large` and `overloaded`, and an Error if the disk fails. */
  async finish(): Promise<BodyData> {
    const chunks = this.#chunks.finish()
    if (this.#file === null) return { kind: 'memory', chunks: chunks.map(ofItsOwn) }
    await this.#write(chunks)
    const { disk } = this.#place
    const path = this.#path
    const file = this.#file
    this.#file = null
    try {
      await file.close()
    } catch (error) {
      await disk.remove(path).catch(() => undefined)
      throw failure(error)
    }
    return { kind: 'file', path }
  }

  /**
   * Deletes the file; after `finish` there is none. Never throws: the caller receives the original error, and a file that a failing disk does not
   * delete is removed at the next start.
   */
  async discard(): Promise<void> {
    const { disk } = this.#place
    const file = this.#file
    if (file === null) return
    this.#file = null
    await file.close().catch(() => undefined)
    await disk.remove(this.#path).catch(() => undefined)
  }

  async #write(chunks: readonly Uint8Array[]): Promise<void> {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (this.#fileBytes + bytes > this.#budget.fileBytes) throw outOfSpace()
    const { disk, newPath } = this.#place
    try {
      if (this.#file === null) {
        this.#path = newPath()
        this.#file = await disk.open(this.#path, { create: true })
      }
      await this.#file.write(chunks, this.#fileBytes)
    } catch (error) {
      throw failure(error)
    }
    this.#fileBytes += bytes
    this.#chunks.recycle(chunks)
  }
}

/** A full disk becomes a Problem for the caller. Any other error is logged with its message, which contains the path; the caller is referred to the log. */
function failure(error: unknown): Error {
  if (isDiskFull(error)) {
    return new Problem(
      'overloaded',
      'The disk is full: it cannot hold the answer until it is sent. Retry once it has space, or narrow the query.',
      { retryAfterS: diskFullRetryAfterS },
    )
  }
  const message = messageOf(error)
  return new Error(`an answer could not be kept in the spool until it is sent, check its disk: ${message}`, {
    cause: error,
  })
}

function ofItsOwn(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = chunk
  if (!(buffer instanceof ArrayBuffer)) throw new Error('a chunk lies in memory that is shared')
  return new Uint8Array(buffer, byteOffset, length)
}

function outOfSpace(): Problem {
  return new Problem(
    'overloaded',
    'Answers that wait for their readers use all of spool.fileBytes. Retry in a moment, or narrow the query.',
  )
}

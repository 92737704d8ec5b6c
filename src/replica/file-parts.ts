// Files of the data folder as pieces in the store. Pieces that an earlier moment named are not written again.
import { open } from 'node:fs/promises'
import type { ObjectStore } from '../object-store/object-store.ts'
import type { ByteRate } from './byte-rate.ts'
import { type Part, pack, partName, type ReplicatedFile, sha256Of } from './replica-format.ts'
import type { StoreAttempt } from './replica-log.ts'

/** The piece size of files that never change and have a compression of their own. */
const wholeBytes = 4 * 1024 * 1024
/** The piece size of files that change, so that a small change of a large file is a small piece. */
const changingBytes = 256 * 1024

/** A file to be copied, in its current state. */
export interface FileToReplicate {
  /** The path within the data folder. */
  readonly path: string
  /** The path to read from. */
  readonly from: string
  readonly bytes: number
  readonly changes: boolean
}

export interface FilePartsParts {
  readonly store: ObjectStore
  readonly epoch: number
  readonly attempt: StoreAttempt
  readonly rate: ByteRate
}

export class FileParts {
  readonly #parts: FilePartsParts
  /** Pieces in the store by SHA-256. */
  readonly #known = new Map<string, Part>()
  #next = 0

  constructor(parts: FilePartsParts) {
    this.#parts = parts
  }

  /** Sets the pieces that are in the store; all others are forgotten. */
  know(files: Iterable<ReplicatedFile>): void {
    this.#known.clear()
    for (const { parts } of files) for (const part of parts) this.#known.set(part[2], part)
  }

  async write({ path, from, bytes, changes }: FileToReplicate): Promise<ReplicatedFile> {
    const partBytes = changes ? changingBytes : wholeBytes
    const parts: Part[] = []
    const file = await open(from, 'r')
    try {
      for (let at = 0; at < bytes; at += partBytes) {
        const buffer = Buffer.allocUnsafe(Math.min(partBytes, bytes - at))
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
        if (bytesRead < buffer.length) throw new Error(`${from} is shorter than it was`)
        parts.push(await this.#part(buffer, changes))
      }
    } finally {
      await file.close()
    }
    return { path, bytes, parts }
  }

  async #part(bytes: Buffer, changes: boolean): Promise<Part> {
    const { store, epoch, attempt, rate } = this.#parts
    const sha256 = await sha256Of(bytes)
    const known = this.#known.get(sha256)
    if (known !== undefined) return known
    const body = changes ? await pack(bytes) : bytes
    await rate.pass(body.length)
    const name = await attempt(async () => {
      const own = partName(epoch, this.#next)
      // An existing object is from an attempt whose response was lost. With other content it would be damage, and is left alone.
      const isWritten = (await store.putIfAbsent(own, body)) || body.equals((await store.get(own)) ?? Buffer.alloc(0))
      this.#next++
      if (!isWritten) throw new Error(`the object ${own} is not as written`)
      return own
    })
    const part: Part = [name, bytes.length, sha256, changes ? 1 : 0]
    this.#known.set(sha256, part)
    return part
  }
}

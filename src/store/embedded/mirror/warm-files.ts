import type { Disk } from '../../../lib/disk.ts'
import { type OpenBlocking, openBlocking } from '../sealed/blocking-file.ts'

/** So much is read at a time. */
const windowBytes = 256 * 1024
/** Past so many windows it begins anew to note what was read. */
const windowsMax = 16_384

/**
 * Files for a thread that must not wait for the disk. Who reads what was not read before gets an Error; it is read then without anybody waiting, into the
 * memory of the system, and the next one who asks gets it from there.
 */
export class WarmFiles {
  readonly #disk: Disk
  readonly #openNow: OpenBlocking
  readonly #warm = new Set<string>()
  readonly #warming = new Set<string>()

  constructor(disk: Disk, openNow: OpenBlocking = openBlocking) {
    this.#disk = disk
    this.#openNow = openNow
  }

  readonly open: OpenBlocking = (path) => {
    // The file's entry in its folder, and its size.
    this.#require(path, 0)
    const file = this.#openNow(path)
    return {
      size: () => file.size(),
      read: (buffer, bytes, offset) => {
        const last = Math.floor(Math.max(offset, offset + bytes - 1) / windowBytes)
        for (let window = Math.floor(offset / windowBytes); window <= last; window++) this.#require(path, window)
        return file.read(buffer, bytes, offset)
      },
      close: () => file.close(),
    }
  }

  #require(path: string, window: number): void {
    const key = `${window} ${path}`
    if (this.#warm.has(key)) return
    if (!this.#warming.has(key)) void this.#warmUp(key, path, window)
    throw new Error(`${path} is read from the disk first`)
  }

  /** What cannot be read stays as it is: who has to read it will say so. */
  async #warmUp(key: string, path: string, window: number): Promise<void> {
    this.#warming.add(key)
    try {
      const file = await this.#disk.open(path, { create: false })
      try {
        await file.read(new Uint8Array(windowBytes), window * windowBytes)
      } finally {
        await file.close()
      }
      if (this.#warm.size >= windowsMax) this.#warm.clear()
      this.#warm.add(key)
    } catch {
      // As above.
    } finally {
      this.#warming.delete(key)
    }
  }
}

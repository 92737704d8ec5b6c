// The folder of key files. Keys that are added are on disk before the journal deletes the records they came from.
import { join } from 'node:path'
import type { Disk, DiskFile } from '../../lib/disk.ts'
import {
  blockHeaderBytes,
  encodeBlockHeader,
  encodeKeyFileHeader,
  isUnfinishedKeyFile,
  keyFileHeaderBytes,
  keyFileName,
  numberOfKeyFile,
  unfinishedKeyFileName,
} from './key-format.ts'
import { newestOf } from './key-table.ts'
import { type KeyedPush, keyLifeS } from './push-key.ts'
import { damagedKeys, type FoundKeyFile, readKeyFiles } from './read-key-files.ts'

export interface KeyFolder {
  readonly disk: Disk
  readonly directory: string
  /** Returns a random 32-bit number. */
  readonly newSalt: () => number
  readonly nowMs: () => number
  /** See `KeyClocks`. */
  readonly uptimeMs: () => number
}

interface KeptFile extends FoundKeyFile {
  /** Uptime when it was last read or written. */
  readonly metMs: number
}

/** The file being written. */
interface OpenFile {
  readonly number: number
  readonly file: DiskFile
  readonly salt: number
  readonly hour: number
  /** Bytes of it that are on disk. */
  bytes: number
  newestS: number
  metMs: number
}

export class KeyFiles {
  readonly #folder: KeyFolder
  /** Valid files, oldest first, without the open one. */
  readonly #files: KeptFile[]
  #throughPosition: number
  /** The last number used, whether or not its file is valid. */
  #number: number
  #open: OpenFile | null = null
  #replacesAll = false

  private constructor(folder: KeyFolder, files: readonly FoundKeyFile[], throughPosition: number, number: number) {
    this.#folder = folder
    const metMs = folder.uptimeMs()
    this.#files = files.map((file) => ({ ...file, metMs }))
    this.#throughPosition = throughPosition
    this.#number = number
  }

  /** Passes the keys of all files to `take`, in order. Throws an Error that names the file and offset if a file is damaged. */
  static async open(
    folder: KeyFolder,
    journalFirstPosition: number,
    take: (push: KeyedPush) => void,
  ): Promise<KeyFiles> {
    const { disk, directory } = folder
    await disk.makeDirectory(directory)
    const names = await disk.list(directory)
    const numbers = names.map(numberOfKeyFile).filter((number) => number !== null)
    const { files, throughPosition } = await readKeyFiles(disk, directory, numbers, take)
    const last = files.at(-1)
    if (last !== undefined && throughPosition < journalFirstPosition) {
      const path = join(directory, keyFileName(last.number))
      throw damagedKeys(path, last.bytes, 'the keys in the file end before the journal begins')
    }
    for (const name of names) if (isUnfinishedKeyFile(name)) await disk.remove(join(directory, name))
    const counting = new Set(files.map(({ number }) => number))
    for (const number of numbers) if (!counting.has(number)) await disk.remove(join(directory, keyFileName(number)))
    return new KeyFiles(folder, files, throughPosition, numbers.at(-1) ?? 0)
  }

  /** The keys of all records before this journal position are in the files. */
  get throughPosition(): number {
    return this.#throughPosition
  }

  /** Whether there are files; without any, there is no need to record how far the keys reach. */
  get isUsed(): boolean {
    return this.#open !== null || this.#files.length > 0
  }

  /** The next `add` replaces all files so far. */
  replaceAll(): void {
    this.#replacesAll = true
    this.#throughPosition = 0
  }

  /**
   * Adds entries, and records that the keys of everything before `throughPosition` are now kept; on disk when it resolves.
   * Throws if the disk fails; the same entries must then be added again.
   */
  async add(pieces: readonly Buffer[], throughPosition: number): Promise<void> {
    const newestS = newestOf(pieces)
    const open = await this.#openAt(Math.floor(this.#folder.nowMs() / 3_600_000))
    try {
      let offset = open.bytes
      const blocks = pieces.length === 0 ? [Buffer.alloc(0)] : pieces
      for (const [index, entries] of blocks.entries()) {
        // The blocks take effect together: only the last one records how far the keys now reach.
        const through = index === blocks.length - 1 ? throughPosition : this.#throughPosition
        const place = { throughPosition: through, syncedBytes: open.bytes }
        await open.file.write([encodeBlockHeader(entries, place, open.salt), entries], offset)
        offset += blockHeaderBytes + entries.length
      }
      await open.file.sync()
      open.bytes = offset
      open.newestS = Math.max(open.newestS, newestS)
      open.metMs = this.#folder.uptimeMs()
      if (this.#replacesAll) await this.#replaceOthers(open.number)
      this.#throughPosition = Math.max(this.#throughPosition, throughPosition)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Makes the open file, which is complete by now, replace all others. After a crash either they or it are found. */
  async #replaceOthers(number: number): Promise<void> {
    const { disk, directory } = this.#folder
    await disk.rename(join(directory, unfinishedKeyFileName(number)), join(directory, keyFileName(number)))
    await disk.syncDirectory(directory)
    this.#replacesAll = false
    await this.#removeWhile(() => true)
  }

  /** Deletes the oldest files while all keys in them are older than a day, by their stamps or because they have been here for a day. */
  removeExpired(): Promise<void> {
    const { nowMs, uptimeMs } = this.#folder
    const nowS = Math.floor(nowMs() / 1000)
    const metBeforeMs = uptimeMs() - keyLifeS * 1000
    return this.#removeWhile(({ newestS, metMs }) => newestS + keyLifeS <= nowS || metMs <= metBeforeMs)
  }

  /** Added keys are kept; the next `add` begins a new file. */
  async close(): Promise<void> {
    if (this.#open === null) return
    const { number, bytes, newestS, metMs, file } = this.#open
    this.#open = null
    // An incomplete file that was to replace all others is not valid.
    if (!this.#replacesAll) this.#files.push({ number, bytes, newestS, metMs })
    // All of its valid bytes were fsynced.
    await file.close().catch(() => {})
  }

  async #removeWhile(isDue: (file: KeptFile) => boolean): Promise<void> {
    for (let file = this.#files[0]; file !== undefined && isDue(file); file = this.#files[0]) {
      await this.#folder.disk.remove(join(this.#folder.directory, keyFileName(file.number)))
      this.#files.shift()
    }
  }

  async #openAt(hour: number): Promise<OpenFile> {
    if (this.#open !== null && this.#open.hour !== hour) await this.close()
    this.#open ??= await this.#create(hour)
    return this.#open
  }

  async #create(hour: number): Promise<OpenFile> {
    const { disk, directory, newSalt } = this.#folder
    // The number counts as used even if the file fails.
    const number = ++this.#number
    const salt = newSalt()
    const vouched = this.#replacesAll ? null : (this.#files.at(-1) ?? null)
    const name = this.#replacesAll ? unfinishedKeyFileName(number) : keyFileName(number)
    const file = await disk.open(join(directory, name), { create: true })
    try {
      await file.write([encodeKeyFileHeader({ salt, vouched })], 0)
      await file.sync()
      await disk.syncDirectory(directory)
    } catch (error) {
      await file.close().catch(() => {})
      throw error
    }
    return { number, file, salt, hour, bytes: keyFileHeaderBytes, newestS: 0, metMs: 0 }
  }
}

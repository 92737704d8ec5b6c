// A large record is written, without its headers, to a file of its own while other records are appended. When its turn comes, the headers are
// filled in and the file becomes the next segment, so that small pushes never wait for the bytes of a large one.
import { join } from 'node:path'
import type { DiskFile } from '../../lib/disk.ts'
import { placeRecord, type UnplacedRecord } from '../record.ts'
import { encodeSegmentHeader, segmentHeaderBytes, segmentName } from './segment-header.ts'
import { diskFull, type SegmentFolder, SegmentWriter, unlessFull } from './segment-writer.ts'

const nameEnd = '.apart'

/** Deletes files that a crash left of records without a position: none of them was acknowledged. */
export async function removeRecordsApart({ disk, directory }: SegmentFolder): Promise<void> {
  for (const name of await disk.list(directory)) {
    if (name.endsWith(nameEnd)) await disk.remove(join(directory, name))
  }
}

export class SeparateRecord {
  readonly #folder: SegmentFolder
  readonly #path: string
  readonly #file: DiskFile
  readonly #record: UnplacedRecord

  private constructor(folder: SegmentFolder, path: string, file: DiskFile, record: UnplacedRecord) {
    this.#folder = folder
    this.#path = path
    this.#file = file
    this.#record = record
  }

  /** Null when the disk is full; then no file is left. Throws when the disk fails. */
  static async write(folder: SegmentFolder, record: UnplacedRecord, number: number): Promise<SeparateRecord | null> {
    const path = join(folder.directory, `${number}${nameEnd}`)
    const file = await unlessFull(folder.disk.open(path, { create: true, syncsWrites: true }))
    if (file === diskFull) return null
    const apart = new SeparateRecord(folder, path, file, record)
    try {
      return (await apart.#writePayload()) ? apart : null
    } catch (error) {
      await file.close().catch(() => undefined)
      throw error
    }
  }

  async #writePayload(): Promise<boolean> {
    const [head, ...payload] = this.#record.buffers
    if ((await unlessFull(this.#file.write(payload, segmentHeaderBytes + head.length))) === diskFull) {
      await this.discard()
      return false
    }
    await this.#file.sync()
    return true
  }

  /** Makes the file the segment that begins at a position. Null when the disk is full; then no file is left. Throws when the disk fails. */
  async place(firstPosition: number, salt: number): Promise<SegmentWriter | null> {
    const { disk, directory } = this.#folder
    const [head] = this.#record.buffers
    const header = { firstPosition, salt }
    placeRecord(this.#record, firstPosition, segmentHeaderBytes, salt)
    if ((await unlessFull(this.#file.write([encodeSegmentHeader(header), head], 0))) === diskFull) {
      await this.discard()
      return null
    }
    await this.#file.sync()
    await disk.rename(this.#path, join(directory, segmentName(firstPosition)))
    await disk.syncDirectory(directory)
    return new SegmentWriter(this.#file, header, segmentHeaderBytes + this.#record.bytes)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async discard(): Promise<void> {
    await this.close()
    await this.#folder.disk.remove(this.#path)
  }
}

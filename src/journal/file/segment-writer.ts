// The segment that is being written. Everything that it reports as written is on disk.
import { join } from 'node:path'
import { type Disk, type DiskFile, isDiskFull } from '../../lib/disk.ts'
import { placeRecord, type UnplacedRecord } from '../record.ts'
import { encodeSegmentHeader, type SegmentHeader, segmentHeaderBytes, segmentName } from './segment-header.ts'

export interface SegmentFolder {
  readonly disk: Disk
  readonly directory: string
}

export class SegmentWriter {
  readonly firstPosition: number
  readonly #salt: number
  readonly #file: DiskFile
  #durableBytes: number

  /** Continues a segment of which `durableBytes` are on disk. */
  constructor(file: DiskFile, header: SegmentHeader, durableBytes: number) {
    this.#file = file
    this.firstPosition = header.firstPosition
    this.#salt = header.salt
    this.#durableBytes = durableBytes
  }

  /** Creates a segment. Null when the disk is full; then no file is left. Throws when the disk fails. */
  static async create(folder: SegmentFolder, header: SegmentHeader): Promise<SegmentWriter | null> {
    const { disk, directory } = folder
    const path = join(directory, segmentName(header.firstPosition))
    const file = await unlessFull(disk.open(path, { create: true, syncsWrites: true }))
    if (file === diskFull) return null
    try {
      return await SegmentWriter.#begin(file, path, folder, header)
    } catch (error) {
      await file.close().catch(() => undefined)
      throw error
    }
  }

  static async #begin(
    file: DiskFile,
    path: string,
    { disk, directory }: SegmentFolder,
    header: SegmentHeader,
  ): Promise<SegmentWriter | null> {
    if ((await unlessFull(file.write([encodeSegmentHeader(header)], 0))) === diskFull) {
      await file.close()
      await disk.remove(path)
      // Otherwise the file might exist again after a crash, when the previous segment has grown.
      await disk.syncDirectory(directory)
      return null
    }
    await file.sync()
    await disk.syncDirectory(directory)
    return new SegmentWriter(file, header, segmentHeaderBytes)
  }

  get name(): string {
    return segmentName(this.firstPosition)
  }

  get durableBytes(): number {
    return this.#durableBytes
  }

  /**
   * Writes records from a position on and fsyncs them. Returns false when the disk is full; then none of them is stored. Throws when the disk
   * fails; then the segment must not be used any more.
   */
  async append(records: readonly UnplacedRecord[], firstPosition: number): Promise<boolean> {
    let position = firstPosition
    let bytes = 0
    const buffers: Uint8Array[] = []
    for (const record of records) {
      placeRecord(record, position, this.#durableBytes, this.#salt)
      buffers.push(...record.buffers)
      position += record.positions
      bytes += record.bytes
    }
    if ((await unlessFull(this.#file.write(buffers, this.#durableBytes))) === diskFull) {
      await this.#file.truncate(this.#durableBytes)
      await this.#file.sync()
      return false
    }
    await this.#file.sync()
    this.#durableBytes += bytes
    return true
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

export const diskFull = Symbol('the disk is full')

/** Only for work that may fail and be retried: never for an fsync. */
export async function unlessFull<T>(work: Promise<T>): Promise<T | typeof diskFull> {
  try {
    return await work
  } catch (error) {
    if (isDiskFull(error)) return diskFull
    throw error
  }
}

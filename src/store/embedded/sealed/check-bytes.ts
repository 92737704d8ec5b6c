// Verifies a sealed file against the checksums in its index, for an engine that reads the file without checking them.
import { crc32 } from 'node:zlib'
import type { Disk, DiskFile } from '../../../lib/disk.ts'
import type { OpenBlocking } from './blocking-file.ts'
import { DamagedFileError } from './damaged-file.ts'
import { FileIndex } from './file-index.ts'
import type { FilePaths } from './file-paths.ts'

/** Bytes of one read: half a millisecond of work, after which other work can run. */
const windowBytes = 1 << 20

/** A byte range with its CRC-32. */
interface Piece {
  readonly offset: number
  readonly bytes: number
  readonly checksum: number
}

const magic = Buffer.from('PAR1')

/**
 * Resolves when every byte that a Parquet reader may use is as it was written. Throws DamagedFileError when one is not, or when the file
 * cannot be read.
 */
export async function checkBytes(
  paths: FilePaths,
  disk: Pick<Disk, 'open'>,
  openBlocking: OpenBlocking,
): Promise<void> {
  const index = new FileIndex(paths.index, openBlocking)
  const path = paths.parquet
  let file: DiskFile | null = null
  try {
    file = await disk.open(path, { create: false })
    if ((await file.size()) !== index.summary.parquetBytes)
      throw new DamagedFileError(path, 'it is not as long as it was')
    const bytes = new ChunkedBytes(file)
    for (const { offset, bytes: length, checksum } of piecesOf(index)) {
      if ((await bytes.checksum(offset, length)) !== checksum)
        throw new DamagedFileError(path, `what is at ${offset} of it is damaged`)
    }
  } catch (error) {
    if (error instanceof DamagedFileError) throw error
    throw new DamagedFileError(path, 'it cannot be read', error)
  } finally {
    await file?.close().catch(() => undefined)
  }
}

/** All of the file, in file order. */
function* piecesOf(index: FileIndex): Generator<Piece> {
  yield { offset: 0, bytes: magic.length, checksum: crc32(magic) }
  const { columns, rowGroups, footerOffset, footerChecksum, parquetBytes } = index.summary
  for (let group = 0; group < rowGroups; group++) {
    for (let column = 0; column < columns; column++) {
      const { dictionary, offset, ends, checksums } = index.columnPages(group, column)
      if (dictionary !== null) yield dictionary
      let start = 0
      for (const [page, end] of ends.entries()) {
        yield { offset: offset + start, bytes: end - start, checksum: checksums[page]! }
        start = end
      }
    }
  }
  yield { offset: footerOffset, bytes: parquetBytes - footerOffset, checksum: footerChecksum }
}

/** Reads a file through a window that is much longer than most pieces. */
class ChunkedBytes {
  readonly #file: DiskFile
  readonly #buffer = new Uint8Array(windowBytes)
  #start = 0
  #held = 0

  constructor(file: DiskFile) {
    this.#file = file
  }

  /** Throws an Error when the file ends earlier. */
  async checksum(offset: number, bytes: number): Promise<number> {
    let checksum = 0
    for (let at = offset; at < offset + bytes; ) {
      if (at < this.#start || at >= this.#start + this.#held) await this.#readFrom(at)
      const from = at - this.#start
      const to = Math.min(this.#held, from + offset + bytes - at)
      checksum = crc32(this.#buffer.subarray(from, to), checksum)
      at += to - from
    }
    return checksum
  }

  async #readFrom(start: number): Promise<void> {
    this.#start = start
    this.#held = await this.#file.read(this.#buffer, start)
    if (this.#held === 0) throw new Error('the file is cut short')
  }
}

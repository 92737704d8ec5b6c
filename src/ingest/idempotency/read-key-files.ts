// Reads the valid key files, oldest first; docs/formats/idempotency-keys.md has the rules.
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Disk, DiskFile } from '../../lib/disk.ts'
import {
  blockHeaderBytes,
  decodeBlockHeader,
  decodeKeyFileHeader,
  type KeyFileHeader,
  keyFileHeaderBytes,
  keyFileName,
} from './key-format.ts'
import { entryBytes, readEntry } from './key-table.ts'
import type { KeyedPush } from './push-key.ts'

/** A valid file, and the number of its bytes that are valid. */
export interface FoundKeyFile {
  readonly number: number
  readonly bytes: number
  /** When the newest key in it was received; 0 if it has none. */
  readonly newestS: number
}

export interface FoundKeys {
  /** Oldest first. */
  readonly files: readonly FoundKeyFile[]
  readonly throughPosition: number
}

interface Linked {
  readonly number: number
  readonly salt: number
  /** The number of its bytes that are valid. Null for the newest file: as many as are whole. */
  readonly vouchedBytes: number | null
}

/** Passes every key to `take`, in order. Throws an Error that names the file and offset if a file is damaged. */
export async function readKeyFiles(
  disk: Disk,
  directory: string,
  numbers: readonly number[],
  take: (push: KeyedPush) => void,
): Promise<FoundKeys> {
  const files: FoundKeyFile[] = []
  let throughPosition = 0
  for (const linked of await linkedFiles(disk, directory, numbers)) {
    const path = join(directory, keyFileName(linked.number))
    let newestS = 0
    const bytes = await readFile(disk, path, linked, (block) => {
      throughPosition = Math.max(throughPosition, block.throughPosition)
      for (const push of block.pushes) {
        newestS = Math.max(newestS, push.receivedS)
        take(push)
      }
    })
    files.push({ number: linked.number, bytes, newestS })
  }
  return { files, throughPosition }
}

/** The valid files, oldest first. Each file's header names the one before it, and how many of its bytes are valid. */
async function linkedFiles(disk: Disk, directory: string, numbers: readonly number[]): Promise<readonly Linked[]> {
  const linked: Linked[] = []
  let next: KeyFileHeader['vouched'] = null
  for (const number of [...numbers].reverse()) {
    if (linked.length > 0 && number !== next?.number) continue
    const header = await readHeader(disk, join(directory, keyFileName(number)), linked.length === 0)
    if (header === null) continue
    linked.unshift({ number, salt: header.salt, vouchedBytes: linked.length === 0 ? null : (next?.bytes ?? 0) })
    next = header.vouched
  }
  return linked
}

/** Null if a crash interrupted the creation of the newest file. */
async function readHeader(disk: Disk, path: string, isNewest: boolean): Promise<KeyFileHeader | null> {
  const file = await disk.open(path, { create: false })
  try {
    const buffer = Buffer.alloc(keyFileHeaderBytes)
    const header = decodeKeyFileHeader(buffer.subarray(0, await file.read(buffer, 0)))
    if ('salt' in header) return header
    if ('newerVersion' in header) throw newer(path, header.newerVersion)
    if (isNewest && (await file.size()) <= keyFileHeaderBytes) return null
    throw damagedKeys(path, 0, 'the header of the file is damaged')
  } finally {
    await file.close()
  }
}

/** Resolves with the number of valid bytes. */
async function readFile(
  disk: Disk,
  path: string,
  { salt, vouchedBytes }: Linked,
  take: (block: Block) => void,
): Promise<number> {
  const file = await disk.open(path, { create: false })
  try {
    let offset = keyFileHeaderBytes
    let syncedBytes = offset
    while (vouchedBytes === null || offset < vouchedBytes) {
      const block = await readBlock(file, offset, salt)
      if (block === null) break
      take(block)
      offset += block.bytes
      syncedBytes = block.syncedBytes
    }
    if (vouchedBytes === null) {
      await rewrite(file, 0, keyFileHeaderBytes)
      await rewrite(file, syncedBytes, offset)
      await file.sync()
      await disk.syncDirectory(dirname(path))
    }
    if (vouchedBytes !== null && offset !== vouchedBytes) throw damagedKeys(path, offset, 'a block is damaged')
    return offset
  } finally {
    await file.close()
  }
}

const rewrittenAtOnce = 1024 * 1024

/** Rewrites bytes unchanged: after a failed fsync they may be in the page cache only, marked clean, so that a later fsync would not write them. */
async function rewrite(file: DiskFile, from: number, to: number): Promise<void> {
  for (let offset = from; offset < to; offset += rewrittenAtOnce) {
    const bytes = Buffer.alloc(Math.min(rewrittenAtOnce, to - offset))
    if (!(await fill(file, bytes, offset))) throw new Error('a key file became shorter while it was read')
    await file.write([bytes], offset)
  }
}

interface Block {
  readonly pushes: readonly KeyedPush[]
  readonly throughPosition: number
  readonly syncedBytes: number
  readonly bytes: number
}

/** Null if there is no whole block at the offset. */
async function readBlock(file: DiskFile, offset: number, salt: number): Promise<Block | null> {
  const head = Buffer.alloc(blockHeaderBytes)
  if (!(await fill(file, head, offset))) return null
  const header = decodeBlockHeader(head, salt)
  if (header === null) return null
  const entries = Buffer.alloc(header.entries * entryBytes)
  if (!(await fill(file, entries, offset + head.length)) || crc32(entries) !== header.payloadCrc) return null
  const pushes = Array.from({ length: header.entries }, (_, index) => readEntry(entries, index * entryBytes))
  const { throughPosition, syncedBytes } = header
  return { pushes, throughPosition, syncedBytes, bytes: head.length + entries.length }
}

/** Returns false if the file ends before the buffer is filled. */
async function fill(file: DiskFile, buffer: Buffer, offset: number): Promise<boolean> {
  for (let filled = 0; filled < buffer.length; ) {
    const read = await file.read(buffer.subarray(filled), offset + filled)
    if (read === 0) return false
    filled += read
  }
  return true
}

export function damagedKeys(path: string, offset: number, what: string): Error {
  return new Error(
    `${path}, offset ${offset}: ${what}. Restore an intact copy of the folder. Without one, move the folder away: ` +
      'pushes of the last day are then stored twice if they are sent again with their Idempotency-Key.',
  )
}

function newer(path: string, version: number): Error {
  return new Error(
    `${path} has format version ${version}, which this version of Tidemark does not know. Start the newer version that wrote it.`,
  )
}

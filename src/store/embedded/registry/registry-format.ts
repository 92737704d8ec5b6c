// docs/formats/series-registry.md describes the format.
import { crc32 } from 'node:zlib'
import type { StoreRegistry } from '../../../catalog/manifest.ts'
import type { DiskFile } from '../../../lib/disk.ts'
import type { EntityRegistry } from './entity-registry.ts'
import type { SeriesIndex } from './series-index.ts'

export const registryHeaderBytes = 24
const blockHeaderBytes = 16
const magic = Buffer.from('TIDESERI', 'latin1')
const version = 1

export function encodeHeader(entityId: number): Buffer {
  const header = Buffer.alloc(registryHeaderBytes)
  magic.copy(header)
  header.writeUInt32LE(version, 8)
  header.writeUInt32LE(entityId, 12)
  header.writeUInt32LE(crc32(header.subarray(0, 20)), 20)
  return header
}

/** Encodes the series from number `first` up to `end`, exclusive. */
export function encodeBlock(series: SeriesIndex, entityId: number, first: number, end: number): Buffer {
  const tags = series.tags.map(({ name }) => name)
  const values = Array.from({ length: end - first }, (_, place) => series.valuesOf(first + place))
  const text = Buffer.from(JSON.stringify({ tags, series: values }))
  const header = Buffer.alloc(blockHeaderBytes)
  header.writeUInt32LE(text.length, 0)
  header.writeUInt32LE(first, 4)
  header.writeUInt32LE(crc32(text), 8)
  header.writeUInt32LE(crc32(header.subarray(0, 12), entityId), 12)
  return Buffer.concat([header, text])
}

export interface RegistryFile {
  readonly file: DiskFile
  readonly path: string
}

/** Reads the recorded part of a file into an empty registry. Throws an Error that names the file and the offset when it is damaged. */
export async function readBlocks(
  from: RegistryFile,
  recorded: StoreRegistry,
  { series }: EntityRegistry,
): Promise<void> {
  await readHeader(from, recorded.entityId)
  let offset = registryHeaderBytes
  let next = 0
  while (offset < recorded.bytes) {
    const head = await readAt(from, offset, blockHeaderBytes)
    const isHead = head.readUInt32LE(12) === crc32(head.subarray(0, 12), recorded.entityId)
    const first = head.readUInt32LE(4)
    if (!isHead || first !== next) throw damage(from, offset, 'the header of a block is damaged')
    const text = await readAt(from, offset + blockHeaderBytes, head.readUInt32LE(0))
    if (crc32(text) !== head.readUInt32LE(8)) throw damage(from, offset, 'the text of a block is damaged')
    const block = parseBlock(text)
    for (const name of block.tags) if (series.tag(name) === null) series.addTag(name)
    for (const values of block.series) series.restore(values)
    next += block.series.length
    offset += blockHeaderBytes + text.length
  }
  if (offset !== recorded.bytes || next !== recorded.series) {
    throw damage(from, offset, `it holds ${next} series, where the manifest has ${recorded.series}`)
  }
}

async function readHeader(from: RegistryFile, entityId: number): Promise<void> {
  const header = await readAt(from, 0, registryHeaderBytes)
  if (header.subarray(0, 8).equals(magic) && header.readUInt32LE(8) > version) {
    throw new Error(`${from.path} was written by a newer version of Tidemark. Start that one.`)
  }
  if (!header.equals(encodeHeader(entityId))) throw damage(from, 0, 'the header is not that of the registry')
}

interface Block {
  readonly tags: readonly string[]
  readonly series: readonly (readonly (string | null)[])[]
}

/** The text is as written, because its checksum matches. */
function parseBlock(text: Buffer): Block {
  return JSON.parse(text.toString())
}

async function readAt({ file, path }: RegistryFile, offset: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  for (let filled = 0; filled < bytes; ) {
    const read = await file.read(buffer.subarray(filled), offset + filled)
    if (read === 0) throw damage({ path }, offset + filled, 'the file is shorter than the manifest says')
    filled += read
  }
  return buffer
}

function damage({ path }: Pick<RegistryFile, 'path'>, offset: number, what: string): Error {
  return new Error(`${path}, offset ${offset}: ${what}. Restore a backup.`)
}

// Checks a sealed file and its index from end to end, byte by byte and against each other. For `tidemark verify` on a stopped service.

import { crc32 } from 'node:zlib'
import { messageOf } from '../../../lib/message-of.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import type { SealedFileInfo } from '../reading/sealed-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import { type BlockingFile, type OpenBlocking, readWhole } from './blocking-file.ts'
import { DamagedFileError } from './damaged-file.ts'
import { FileIndex } from './file-index.ts'
import type { FilePaths } from './file-paths.ts'
import { padded } from './index-layout.ts'
import { VerifiedRows } from './verify-rows.ts'

export interface VerifiedFile {
  readonly info: SealedFileInfo
  readonly paths: FilePaths
  readonly registry: EntityRegistry
  readonly openBlocking: OpenBlocking
}

/** The most faults reported for a file: a broken one may have a fault in each of its pages. */
const faultsMax = 20

/** Resolves to the faults found, as sentences without a full stop; empty when everything is as it was written. */
export async function verifyFile(file: VerifiedFile, pacer: Pacer): Promise<readonly string[]> {
  const faults: string[] = []
  const fault = (what: string): void => {
    if (faults.length < faultsMax) faults.push(what)
  }
  let parquet: BlockingFile | null = null
  try {
    const index = new FileIndex(file.paths.index, file.openBlocking)
    parquet = file.openBlocking(file.paths.parquet)
    verifyInfo(file.info, index, fault)
    verifySections(index, fault)
    verifyShape(index, fault)
    if (parquet.size() !== index.summary.parquetBytes) fault(`${file.paths.parquet}: it is not as long as it was`)
    if (faults.length > 0) return faults
    verifyEnds(parquet, file.paths.parquet, index, fault)
    const rows = new VerifiedRows({ file: parquet, path: file.paths.parquet, index }, file.registry, fault)
    await rows.verify(pacer)
  } catch (error) {
    fault(messageOf(error))
  } finally {
    parquet?.close()
  }
  return faults
}

type Fault = (what: string) => void

function verifyInfo(info: SealedFileInfo, { summary, path, fileBytes }: FileIndex, fault: Fault): void {
  const comparisons: readonly (readonly [string, unknown, unknown])[] = [
    ['entity', info.entityId, summary.entityId],
    ['day', info.day, summary.day],
    ['rows', info.rows, summary.rows],
    ['first date', info.firstMs, summary.firstMs],
    ['last date', info.lastMs, summary.lastMs],
    ['first position', info.firstPosition, summary.firstPosition],
    ['last position', info.lastPosition, summary.lastPosition],
    ['bytes of the Parquet file', info.bytes, summary.parquetBytes],
    ['bytes of the index', info.indexBytes, fileBytes],
  ]
  for (const [what, expected, found] of comparisons) {
    if (expected !== found) fault(`${path}: ${what}: ${String(found)}, where the manifest has ${String(expected)}`)
  }
}

/** Checks the checksum of every section, and that there is nothing between sections. */
function verifySections(index: FileIndex, fault: Fault): void {
  let end = index.headBytes
  if (index.bytesAt(end - 4, 4).some((byte) => byte !== 0)) fault(`${index.path}: its header is damaged`)
  for (const section of index.sections) {
    const { offset, bytes } = section
    if (offset !== end) fault(`${index.path}: its sections do not lie one behind the other`)
    end = offset + padded(bytes)
    index.load(section)
    if (index.bytesAt(offset + bytes, end - offset - bytes).some((byte) => byte !== 0))
      fault(`${index.path}: there is something between its sections`)
  }
  if (end !== index.fileBytes) fault(`${index.path}: there is something behind its sections`)
}

function verifyShape(index: FileIndex, fault: Fault): void {
  const { summary, path, rowEnds, pageEnds, groupEnds, numbers } = index
  const rising = (name: string, ends: Uint32Array, last: number): void => {
    const rises = ends.every((end, place) => end > (place === 0 ? 0 : ends[place - 1]))
    if (!rises || ends.at(-1) !== last) fault(`${path}: its ${name} do not rise to ${last}`)
  }
  rising('rows of series', rowEnds, summary.rows)
  rising('rows of pages', pageEnds, summary.rows)
  rising('pages of row groups', groupEnds, summary.pages)
  for (const [place, number] of numbers.entries()) {
    if (index.find(number) === place) continue
    fault(`${path}: series ${number} is not found where it is`)
    return
  }
}

const magic = Buffer.from('PAR1')
const partBytes = 1 << 20

/** Checks the bytes before and after the pages. */
function verifyEnds(parquet: BlockingFile, path: string, { summary }: FileIndex, fault: Fault): void {
  const { footerOffset, footerChecksum, parquetBytes } = summary
  const buffer = new Uint8Array(partBytes)
  const read = (bytes: number, offset: number): Uint8Array => {
    if (!readWhole(parquet, buffer, bytes, offset)) throw new DamagedFileError(path, 'it is cut short')
    return buffer.subarray(0, bytes)
  }
  if (magic.compare(read(magic.length, 0)) !== 0) fault(`${path}: it does not begin as a Parquet file does`)
  let checksum = 0
  for (let offset = footerOffset; offset < parquetBytes; offset += partBytes)
    checksum = crc32(read(Math.min(partBytes, parquetBytes - offset), offset), checksum)
  if (checksum !== footerChecksum) fault(`${path}: its footer is damaged`)
}

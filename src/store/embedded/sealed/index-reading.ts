// Reads the parts of an index file and verifies them.
import { crc32 } from 'node:zlib'
import { type BlockingFile, type OpenBlocking, readWhole } from './blocking-file.ts'
import { DamagedFileError } from './damaged-file.ts'
import {
  headerBytes,
  headerEndBytes,
  indexMagic,
  indexVersion,
  sectionEntryBytes,
  sectionKinds,
} from './index-layout.ts'

/** The size of the first read: all of most indexes, up to the sections that are read later. */
const firstReadBytes = 1 << 16

export interface SectionPlace {
  readonly kind: number
  readonly column: number
  readonly checksum: number
  readonly offset: number
  readonly bytes: number
}

/** Sections read when the file is first used. */
const coreKinds = ['columns', 'series', 'pages', 'chunks', 'places'] as const

/** Opens a file, runs `work` on it and closes it. Throws DamagedFileError when the file cannot be read. */
export function reading<T>(path: string, open: OpenBlocking, work: (file: BlockingFile) => T): T {
  let file: BlockingFile | null = null
  try {
    file = open(path)
    return work(file)
  } catch (error) {
    if (error instanceof DamagedFileError) throw error
    throw new DamagedFileError(path, 'it cannot be read', error)
  } finally {
    file?.close()
  }
}

interface IndexStart {
  readonly fileBytes: number
  readonly head: DataView
  readonly sections: readonly SectionPlace[]
  readonly core: readonly ArrayBuffer[]
}

/** Reads the header and the sections that are always needed. */
export function readStart(path: string, file: BlockingFile): IndexStart {
  const size = file.size()
  const first = new Uint8Array(Math.min(size, firstReadBytes))
  const damaged = (what: string): never => {
    throw new DamagedFileError(path, what)
  }
  if (!readWhole(file, first, first.length, 0) || size < headerBytes + headerEndBytes) damaged('it is cut short')
  let view = new DataView(first.buffer)
  if (indexMagic.compare(first, 0, indexMagic.length) !== 0) damaged('it does not begin as an index does')
  const version = view.getUint32(8, true)
  if (version !== indexVersion) damaged(`it is of version ${version}, which this release does not know`)
  const count = view.getUint32(12, true)
  const tableEnd = headerBytes + count * sectionEntryBytes
  if (tableEnd + headerEndBytes > size) damaged('its table of sections is damaged')
  let start = first
  if (tableEnd + headerEndBytes > first.length) {
    start = new Uint8Array(tableEnd + headerEndBytes)
    if (!readWhole(file, start, start.length, 0)) damaged('it is cut short')
    view = new DataView(start.buffer)
  }
  if (crc32(start.subarray(0, tableEnd)) !== view.getUint32(tableEnd, true)) damaged('its header is damaged')
  const sections = Array.from({ length: count }, (_, index) => readPlace(view, headerBytes + index * sectionEntryBytes))
  const core = coreKinds.map((kind) => {
    const place = sections.find((section) => section.kind === sectionKinds[kind])
    if (place === undefined) return damaged(`it has no section ${kind}`)
    return inside(path, start, place) ?? readSection(path, file, place)
  })
  return { fileBytes: size, head: view, sections, core }
}

function readPlace(view: DataView, at: number): SectionPlace {
  return {
    kind: view.getUint32(at, true),
    column: view.getUint32(at + 4, true),
    checksum: view.getUint32(at + 8, true),
    offset: view.getFloat64(at + 16, true),
    bytes: view.getFloat64(at + 24, true),
  }
}

/** A section within the bytes read at first; copied, because the rest of these bytes is not kept. Null when it is not within them. */
function inside(path: string, start: Uint8Array<ArrayBuffer>, place: SectionPlace): ArrayBuffer | null {
  const { offset, bytes } = place
  if (offset + bytes > start.length) return null
  requireSound(path, start.subarray(offset, offset + bytes), place)
  return start.buffer.slice(offset, offset + bytes)
}

/** Throws DamagedFileError when the section is not as it was written. */
export function readSection(path: string, file: BlockingFile, place: SectionPlace): ArrayBuffer {
  const bytes = new Uint8Array(place.bytes)
  if (!readWhole(file, bytes, bytes.length, place.offset)) throw new DamagedFileError(path, 'it is cut short')
  requireSound(path, bytes, place)
  return bytes.buffer
}

function requireSound(path: string, bytes: Uint8Array, { kind, column, checksum }: SectionPlace): void {
  if (crc32(bytes) === checksum) return
  const name = Object.entries(sectionKinds).find(([, id]) => id === kind)?.[0] ?? kind
  throw new DamagedFileError(path, `its section ${name} (column ${column}) is damaged`)
}

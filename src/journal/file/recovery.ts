// Opens the journal of the last run: checks every segment, cuts a torn tail, refuses real damage. docs/formats/journal.md has the rules.
import { join } from 'node:path'
import type { DiskFile } from '../../lib/disk.ts'
import type { JournalRecovery } from '../journal.ts'
import { diskIsFull } from './journal-problems.ts'
import { removeRecordsApart } from './record-apart.ts'
import { acceptLossAdvice, newerVersion, refusal } from './refusal.ts'
import { headerAcknowledging, type ScannedFile, type SegmentScan, scanSegment } from './scan-segment.ts'
import {
  decodeSegmentHeader,
  isSegmentName,
  positionOfName,
  type ReadSegmentHeader,
  type SegmentHeader,
  segmentHeaderBytes,
  segmentName,
} from './segment-header.ts'
import { type SegmentFolder, SegmentWriter } from './segment-writer.ts'

/** A segment that is no longer written to. */
export interface ClosedSegment {
  readonly name: string
  readonly firstPosition: number
  /** The position after its last entry. */
  readonly endPosition: number
  readonly bytes: number
}

export interface Recovered {
  readonly closed: readonly ClosedSegment[]
  readonly segment: SegmentWriter
  readonly endPosition: number
  readonly endsWithMark: boolean
  readonly recovery: JournalRecovery
}

export interface RecoverOptions extends SegmentFolder {
  readonly newSalt: () => number
  readonly reachedPosition: number
  /** Everything before it was acknowledged, so that a journal that is missing or ends before it has lost data; null when this is not known. */
  readonly acknowledgedPosition: number | null
}

/** Throws an Error that names file and offset when the journal is damaged where it had been whole. */
export async function recoverJournal(options: RecoverOptions): Promise<Recovered> {
  const { disk, directory, reachedPosition, acknowledgedPosition } = options
  await disk.makeDirectory(directory)
  await removeRecordsApart(options)
  const names = await segmentNames(options)
  if (names.length === 0 && acknowledgedPosition !== null) throw allIsGone(directory, acknowledgedPosition)
  const closed: ClosedSegment[] = []
  let entries = 0
  for (const [index, name] of names.slice(0, -1).entries()) {
    const scan = await readClosed(options, name)
    const next = names[index + 1]!
    if (segmentName(scan.endPosition) !== next) throw notContiguous(join(directory, name), scan, next)
    closed.push({ name, firstPosition: scan.firstPosition, endPosition: scan.endPosition, bytes: scan.endOffset })
    entries += scan.entries
  }
  const last = names.at(-1)
  const opened = last === undefined ? await make(options, reachedPosition) : await openLast(options, last)
  if (opened.endPosition < reachedPosition) {
    await opened.segment.close()
    throw behindStore(directory, opened.endPosition, reachedPosition)
  }
  if (acknowledgedPosition !== null && opened.endPosition < acknowledgedPosition) {
    await opened.segment.close()
    throw newestIsGone(directory, opened.endPosition, acknowledgedPosition)
  }
  const { segment, endPosition, endsWithMark, tornBytes, tornFile } = opened
  const bytes = closed.reduce((sum, each) => sum + each.bytes, segment.durableBytes)
  const recovery = { segments: closed.length + 1, entries: entries + opened.entries, bytes, tornBytes, tornFile }
  return { closed, segment, endPosition, endsWithMark, recovery }
}

async function segmentNames({ disk, directory }: SegmentFolder): Promise<string[]> {
  const names = (await disk.list(directory)).filter(isSegmentName)
  const foreign = names.find((name) => positionOfName(name) === null)
  if (foreign === undefined) return names
  throw refusal(join(directory, foreign), 0, 'the name is not that of a journal file', 'Move the file away.')
}

interface OpenedLast {
  readonly segment: SegmentWriter
  readonly entries: number
  readonly endPosition: number
  readonly endsWithMark: boolean
  readonly tornBytes: number
  readonly tornFile: string | null
}

async function make(options: RecoverOptions, firstPosition: number): Promise<OpenedLast> {
  const segment = await SegmentWriter.create(options, { firstPosition, salt: options.newSalt() })
  if (segment === null) {
    throw new Error(`${options.directory}: the disk is full. Free some space on it, then start again.`, {
      cause: diskIsFull(),
    })
  }
  return { segment, entries: 0, endPosition: firstPosition, endsWithMark: false, tornBytes: 0, tornFile: null }
}

async function readClosed(options: RecoverOptions, name: string): Promise<SegmentScan> {
  const scanned = await openToScan(options, name)
  try {
    const scan = await scanSegment(scanned, usableHeader(scanned, name, await readHeader(scanned)))
    if (scan.damage !== null) throw refusal(scanned.path, scan.endOffset, scan.damage)
    return scan
  } finally {
    await scanned.file.close()
  }
}

async function openLast(options: RecoverOptions, name: string): Promise<OpenedLast> {
  const scanned = await openToScan(options, name)
  try {
    const read = await readHeader(scanned)
    if (isUnfinished(scanned, name, read)) return await remake(options, name, scanned)
    const header = usableHeader(scanned, name, read)
    const scan = await scanSegment(scanned, header)
    await mend(options, scanned, header, scan)
    const tornBytes = scanned.size - scan.endOffset
    return {
      segment: new SegmentWriter(scanned.file, header, scan.endOffset),
      entries: scan.entries,
      endPosition: scan.endPosition,
      endsWithMark: scan.endsWithMark,
      tornBytes,
      tornFile: tornBytes === 0 ? null : name,
    }
  } catch (error) {
    await scanned.file.close()
    throw error
  }
}

/** A crash during the creation of the segment: nothing was ever written after its header. A recycled block may show another segment's header. */
function isUnfinished({ size }: ScannedFile, name: string, read: ReadSegmentHeader): boolean {
  if (size > segmentHeaderBytes || 'newerVersion' in read) return false
  return 'fault' in read || read.firstPosition !== positionOfName(name)
}

async function remake(options: RecoverOptions, name: string, { path, file, size }: ScannedFile): Promise<OpenedLast> {
  await options.disk.remove(path)
  const made = await make(options, positionOfName(name)!)
  await file.close()
  return { ...made, tornBytes: size, tornFile: name }
}

/** Cuts a torn tail, and ensures that everything before it is on disk. */
async function mend(
  options: RecoverOptions,
  scanned: ScannedFile,
  header: SegmentHeader,
  scan: SegmentScan,
): Promise<void> {
  const { path, file } = scanned
  if (scan.damage !== null) {
    const acknowledging = await headerAcknowledging(scanned, header.salt, scan.endOffset)
    if (acknowledging !== null) {
      const what = `${scan.damage}, though it was whole when the record at offset ${acknowledging} was written`
      throw refusal(path, scan.endOffset, what)
    }
    await file.truncate(scan.endOffset)
  }
  await rewrite(file, scan.acknowledgedOffset, scan.endOffset)
  await file.sync()
  await options.disk.syncDirectory(options.directory)
}

const rewriteBytes = 1024 * 1024

/** Rewrites bytes unchanged: after a failed fsync they may be in the page cache only, where no later fsync finds them. */
async function rewrite(file: DiskFile, from: number, to: number): Promise<void> {
  for (let offset = from; offset < to; ) {
    const buffer = Buffer.allocUnsafe(Math.min(rewriteBytes, to - offset))
    const bytes = buffer.subarray(0, await file.read(buffer, offset))
    if (bytes.length === 0) throw new Error('the last segment became shorter while it was read')
    await file.write([bytes], offset)
    offset += bytes.length
  }
}

async function openToScan({ disk, directory }: SegmentFolder, name: string): Promise<ScannedFile> {
  const path = join(directory, name)
  const file = await disk.open(path, { create: false, syncsWrites: true })
  return { path, file, size: await file.size() }
}

async function readHeader({ file }: ScannedFile): Promise<ReadSegmentHeader> {
  const buffer = Buffer.alloc(segmentHeaderBytes)
  return decodeSegmentHeader(buffer.subarray(0, await file.read(buffer, 0)))
}

function usableHeader({ path }: ScannedFile, name: string, read: ReadSegmentHeader): SegmentHeader {
  if ('newerVersion' in read) throw newerVersion(path, 8, `the segment has format version ${read.newerVersion}`)
  if ('fault' in read) throw refusal(path, 0, 'the header of the segment is damaged')
  if (read.firstPosition === positionOfName(name)) return read
  const what = `the segment begins at position ${read.firstPosition}, not at the one in its name`
  throw refusal(path, 16, what, `If it was renamed, restore its name, ${segmentName(read.firstPosition)}.`)
}

function notContiguous(path: string, scan: SegmentScan, next: string): Error {
  const wanted = segmentName(scan.endPosition)
  const what = `the segment ends here, and ${wanted}, which should follow it, is not in the folder; there is ${next}`
  return refusal(
    path,
    scan.endOffset,
    what,
    `Restore ${wanted}, and move away all files that do not belong to this journal.`,
  )
}

function behindStore(directory: string, endPosition: number, reachedPosition: number): Error {
  return new Error(
    `${directory}: the journal ends before position ${endPosition}, but the stored rows reach ${reachedPosition}: it is the journal of another store, or an older copy. ` +
      `Restore the right one. Without it, move all files of the folder away, and accept the loss of their pushes: ${acceptLossAdvice}.`,
  )
}

function newestIsGone(directory: string, endPosition: number, acknowledgedPosition: number): Error {
  return new Error(
    `${directory}: the journal ends at position ${endPosition}, but all before position ${acknowledgedPosition} was acknowledged: its newest file is missing, or ` +
      `an older one. Put back the right one, or restore a backup. Where it is gone for good, ${acceptLossAdvice}.`,
  )
}

function allIsGone(directory: string, acknowledgedPosition: number): Error {
  return new Error(
    `${directory}: the folder holds no file of the journal, which reached position ${acknowledgedPosition}. ` +
      `Put its files back, or restore a backup. Where they are gone for good, ${acceptLossAdvice}.`,
  )
}

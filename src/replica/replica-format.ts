// Encodes and decodes the objects of a replica; docs/formats/replica.md describes the format.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

/** All rows before `position` were on disk at `timeMs`, when the segment that begins at `segment` had `offset` bytes. */
export type Mark = readonly [timeMs: number, position: number, segment: number, offset: number]
/** A byte range of a segment of the journal. */
export type JournalPiece = readonly [segment: number, offset: number, bytes: number]
/** An object with a piece of a file: its name, the size and the SHA-256 of its uncompressed content, and 1 when it is compressed. */
export type Part = readonly [name: string, bytes: number, sha256: string, packed: 0 | 1]

export interface ReplicatedFile {
  /** The path within the data folder. */
  readonly path: string
  readonly bytes: number
  readonly parts: readonly Part[]
}

interface EntryBase {
  readonly number: number
  readonly epoch: number
  readonly token: string
  readonly copy: string
  readonly timeMs: number
  /** The name of the newest moment that an earlier entry commits; null when there is none. */
  readonly lastMoment: string | null
}

export interface MomentPlace {
  /** The name of its object. */
  readonly moment: string
  /** The time of the operator's first change that the previous moment lacks; without changes, the time at which the catalog was copied. */
  readonly validFromMs: number
  /** The moment is whole when the log has the journal up to here. */
  readonly position: number
  /** The first entry of the log whose journal is needed. */
  readonly journalFrom: number
}

export interface JournalPart {
  readonly pieces: readonly JournalPiece[]
  readonly marks: readonly Mark[]
}

export type LogEntry = EntryBase &
  (
    | { readonly kind: 'claim' }
    | ({ readonly kind: 'moment' } & MomentPlace)
    | ({ readonly kind: 'journal' } & JournalPart)
  )

/** The name of the newest moment that the log commits up to an entry, this one included; null when there is none. */
export function lastMomentOf(entry: LogEntry): string | null {
  return entry.kind === 'moment' ? entry.moment : entry.lastMoment
}

/** A moment that can be restored, as later ones list it. */
export type RetainedMoment = readonly [number: number, validFromMs: number, journalFrom: number, name: string]

export interface Moment extends Omit<MomentPlace, 'moment'> {
  readonly number: number
  readonly epoch: number
  readonly timeMs: number
  readonly sealedPosition: number
  /** The newest moment that was known to be whole when this one was committed; null when there was none. */
  readonly whole: number | null
  readonly files: readonly ReplicatedFile[]
  readonly departed: readonly (readonly [name: string, number: number])[]
  readonly moments: readonly RetainedMoment[]
}

/** The content of the one object that is read by its name, not found in a list. */
export interface Begun {
  /** The name of the replica. */
  readonly copy: string
}

/** The name of the `Begun` object, which exists permanently from the first claim on. */
export const begunName = 'begun'
export const logPrefix = 'log/'
export const momentPrefix = 'moments/'

export function logName(number: number): string {
  return `${logPrefix}${digits(number, 12)}`
}

export function momentName(number: number, epoch: number): string {
  return `${momentPrefix}${digits(number, 12)}-${digits(epoch, 6)}`
}

export function partName(epoch: number, number: number): string {
  return `parts/${digits(epoch, 6)}/${digits(number, 9)}`
}

/** The number in the name of an entry of the log or of a moment; NaN for other names. */
export function numberOf(name: string): number {
  return Number(/^(?:log|moments)\/(\d+)/.exec(name)?.[1] ?? Number.NaN)
}

/** The epoch in the name of a moment or a part; NaN for other names. */
export function epochOf(name: string): number {
  return Number((/^parts\/(\d+)\//.exec(name) ?? /^moments\/\d+-(\d+)$/.exec(name))?.[1] ?? Number.NaN)
}

function digits(number: number, count: number): string {
  return String(number).padStart(count, '0')
}

const magic = 'tidemark-replica 1 '
const newline = 0x0a
/** The most bytes of a list of files, as text: some millions of files. */
const momentBytesMax = 2 ** 30
const firstLineBytes = magic.length + 64 + 1

const gzipAsync = promisify(gzip)
const gunzipAsync = promisify(gunzip)

/** Compresses a list of files, or a piece of a file that changes. */
export function pack(bytes: Uint8Array): Promise<Buffer> {
  return gzipAsync(bytes, { level: 1 })
}

/** Throws when it is damaged, or contains more than `bytesMax` bytes. */
export function unpack(bytes: Uint8Array, bytesMax: number): Promise<Buffer> {
  return gunzipAsync(bytes, { maxOutputLength: Math.max(1, bytesMax) })
}

/** The SHA-256 of bytes in the form that parts have. It is computed outside this thread. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('base64url')
}

export function encodeObject(header: LogEntry | Moment | Begun, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const text = Buffer.from(`${JSON.stringify(header)}\n`)
  const hash = createHash('sha256').update(text).update(payload).digest('hex')
  return Buffer.concat([Buffer.from(`${magic}${hash}\n`), text, payload])
}

export function decodeLogEntry(
  name: string,
  bytes: Uint8Array,
): { readonly entry: LogEntry; readonly payload: Uint8Array } {
  const { header, payload } = decodeObject<LogEntry>(name, bytes)
  return { entry: header, payload }
}

export function decodeBegun(bytes: Uint8Array): Begun {
  return decodeObject<Begun>(begunName, bytes).header
}

export async function decodeMoment(name: string, bytes: Uint8Array): Promise<Moment> {
  const text = await unpack(bytes, momentBytesMax).catch((cause: unknown) => {
    throw damagedObject(name, cause)
  })
  return decodeObject<Moment>(name, text).header
}

/** Throws `ReplicaDamaged` when the checksum is wrong, `ReplicaNewer` when this program does not know the version. */
function decodeObject<Header>(
  name: string,
  bytes: Uint8Array,
): { readonly header: Header; readonly payload: Uint8Array } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const first = buffer.toString('latin1', 0, firstLineBytes)
  const body = buffer.subarray(firstLineBytes)
  const begin = first.slice(0, magic.length)
  if (/^tidemark-replica \d/.test(begin) && begin !== magic) {
    throw new ReplicaNewer(
      `the object ${name} of the replica was written by a newer version of Tidemark. Use that version: the replica is not damaged`,
    )
  }
  const checksum = createHash('sha256').update(body).digest('hex')
  if (begin !== magic || first !== `${begin}${checksum}\n`) throw damagedObject(name)
  const end = body.indexOf(newline)
  try {
    return { header: JSON.parse(body.toString('utf8', 0, end)), payload: body.subarray(end + 1) }
  } catch (cause) {
    throw new ReplicaDamaged(`the object ${name} of the replica is damaged: it is not JSON`, { cause })
  }
}

/** An object of a replica is missing, or not as it was written; its name is in the message. Reading it again does not help. */
export class ReplicaDamaged extends Error {}

/** A newer program wrote the object; the replica is not damaged. */
export class ReplicaNewer extends Error {}

export function damagedObject(name: string, cause?: unknown): ReplicaDamaged {
  return new ReplicaDamaged(`the object ${name} of the replica is damaged: its checksum is wrong`, { cause })
}

export function missingObject(name: string): ReplicaDamaged {
  return new ReplicaDamaged(`the object ${name} of the replica is missing`)
}

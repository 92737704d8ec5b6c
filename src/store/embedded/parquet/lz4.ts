// LZ4 blocks, Parquet's codec LZ4_RAW: literals and copies of earlier bytes, cheap to decompress in JavaScript.
import type { ByteWriter } from './byte-writer.ts'
import type { PageInput } from './page-input.ts'

const matchLengthMin = 4
const distanceMax = 0xffff
/** The format requires the last bytes to be literals, and no match to begin among the last twelve. */
const lastLiterals = 5
const matchStartMargin = 12
const hashBits = 13
/** The step of the search grows after each 2^5 attempts without a match, so that incompressible data is passed over quickly. */
const skipShift = 5
/** Shorter matches save little, and each takes time to read. */
const matchLengthTaken = 6

const lastPlace = new Int32Array(1 << hashBits)

/** Appends the bytes from `start` up to `end` of `source`, compressed; `source` may not be `out`. */
export function compress(source: ByteWriter, start: number, end: number, out: ByteWriter): void {
  reserveBlock(end - start, out)
  const literalsFrom = compressPart(source, start, start, end, end, out)
  writeSequence(source.bytes, literalsFrom, end, 0, matchLengthMin, out)
}

/** Long blocks are searched for matches in separate parts of this size. */
const partBytes = 1 << 17

/** As `compress` for all of `source`, with a yield after each part. Neither writer may be changed in between. */
export function* compressSteps(source: ByteWriter, out: ByteWriter): Generator<void> {
  const { length } = source
  reserveBlock(length, out)
  let literalsFrom = 0
  for (let start = 0; start < length; start = Math.max(start + partBytes, literalsFrom)) {
    literalsFrom = compressPart(source, literalsFrom, start, Math.min(length, start + partBytes), length, out)
    yield
  }
  writeSequence(source.bytes, literalsFrom, length, 0, matchLengthMin, out)
}

/** Reserves the size of a block of literals only, the largest that a block can be. */
function reserveBlock(bytes: number, out: ByteWriter): void {
  out.reserve(bytes + Math.ceil(bytes / 255) + 16)
}

/** Searches for matches that begin before `stop`, in a block that ends at `end`. Returns the offset of the first byte not written yet. */
function compressPart(
  { view, bytes }: ByteWriter,
  writtenTo: number,
  start: number,
  stop: number,
  end: number,
  out: ByteWriter,
): number {
  lastPlace.fill(-1)
  const matchEndMax = end - lastLiterals
  const lastStart = Math.min(stop - 1, end - matchStartMargin)
  let literalsFrom = writtenTo
  let tries = 1 << skipShift
  for (let at = start; at <= lastStart; ) {
    const word = view.getInt32(at, true)
    const slot = Math.imul(word, -1640531535) >>> (32 - hashBits)
    const candidate = lastPlace[slot]
    lastPlace[slot] = at
    if (candidate < 0 || at - candidate > distanceMax || view.getInt32(candidate, true) !== word) {
      at += tries++ >>> skipShift
      continue
    }
    const distance = at - candidate
    let matchEnd = at + matchLengthMin
    while (matchEnd < matchEndMax && bytes[matchEnd] === bytes[matchEnd - distance]) matchEnd++
    if (matchEnd - at < matchLengthTaken) {
      at++
      continue
    }
    writeSequence(bytes, literalsFrom, at, distance, matchEnd - at, out)
    at = matchEnd
    literalsFrom = at
    tries = 1 << skipShift
  }
  return literalsFrom
}

/** A `distance` of 0 marks the end of the block: literals only. */
function writeSequence(
  bytes: Uint8Array,
  from: number,
  to: number,
  distance: number,
  matchLength: number,
  out: ByteWriter,
): void {
  const literals = to - from
  const more = matchLength - matchLengthMin
  out.bytes[out.length++] = (Math.min(literals, 15) << 4) | Math.min(more, 15)
  if (literals >= 15) writeLength(literals - 15, out)
  out.bytes.set(bytes.subarray(from, to), out.length)
  out.length += literals
  if (distance === 0) return
  out.bytes[out.length++] = distance & 0xff
  out.bytes[out.length++] = distance >>> 8
  if (more >= 15) writeLength(more - 15, out)
}

function writeLength(length: number, out: ByteWriter): void {
  let rest = length
  for (; rest >= 255; rest -= 255) out.bytes[out.length++] = 255
  out.bytes[out.length++] = rest
}

/** Copies of at least this length are faster in bulk. */
const bulkLengthMin = 32

/** Decompresses `source` into the bytes of `out`. */
export function decompress(source: Uint8Array, out: PageInput): void {
  const { bytes } = out
  const last = source.length - 1
  let at = 0
  let end = 0
  for (;;) {
    const token = source[at++]
    let literals = token >>> 4
    if (literals === 15) {
      let byte = 255
      for (; byte === 255; literals += byte) byte = source[at++]
    }
    if (literals >= bulkLengthMin) {
      bytes.set(source.subarray(at, at + literals), end)
      at += literals
      end += literals
    } else {
      for (const stop = at + literals; at < stop; ) bytes[end++] = source[at++]
    }
    if (at > last) return
    const distance = source[at] | (source[at + 1] << 8)
    at += 2
    let length = token & 15
    if (length === 15) {
      let byte = 255
      for (; byte === 255; length += byte) byte = source[at++]
    }
    length += matchLengthMin
    copyBack(out, end, distance, length)
    end += length
  }
}

/** Shorter copies go word by word. The last word may pass the end: into the slack, or where the next bytes are written anyway. */
function copyBack({ bytes, view }: PageInput, end: number, distance: number, length: number): void {
  const stop = end + length
  if (length >= bulkLengthMin && distance === 1) bytes.fill(bytes[end - 1], end, stop)
  else if (length >= bulkLengthMin && distance >= bulkLengthMin) {
    for (let at = end; at < stop; at += distance) bytes.copyWithin(at, at - distance, Math.min(at, stop - distance))
  } else if (distance >= 4) {
    for (let at = end; at < stop; at += 4) view.setInt32(at, view.getInt32(at - distance, true), true)
  } else {
    for (let at = end; at < stop; at++) bytes[at] = bytes[at - distance]
  }
}

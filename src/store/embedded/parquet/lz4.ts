// LZ4 blocks, Parquet's codec LZ4_RAW: literals and copies of what came before, cheap to undo in JavaScript.
import type { ByteWriter } from './byte-writer.ts'

const matchLengthMin = 4
const distanceMax = 0xffff
/** The format wants the last bytes as literals, and no match to begin among the last twelve. */
const lastLiterals = 5
const matchStartMargin = 12
const hashBits = 13
/** After each 2^6 places without a match the search steps wider: what does not fold is passed quickly. */
const skipShift = 6

const lastPlace = new Int32Array(1 << hashBits)

/** Appends the bytes from `start` up to `end` of `source`, compressed; `source` may not be `out`. */
export function compress(source: ByteWriter, start: number, end: number, out: ByteWriter): void {
  // The most that a block of literals alone takes.
  out.reserve(end - start + Math.ceil((end - start) / 255) + 16)
  lastPlace.fill(-1)
  const { view, bytes } = source
  const matchEndMax = end - lastLiterals
  let literalsFrom = start
  let tries = 1 << skipShift
  for (let at = start; at <= end - matchStartMargin; ) {
    const word = view.getInt32(at, true)
    const slot = Math.imul(word, -1640531535) >>> (32 - hashBits)
    const candidate = lastPlace[slot]
    lastPlace[slot] = at
    if (candidate < 0 || at - candidate > distanceMax || view.getInt32(candidate, true) !== word) {
      at += tries++ >>> skipShift
      continue
    }
    let matchEnd = at + matchLengthMin
    const shift = at - candidate
    while (matchEnd < matchEndMax && bytes[matchEnd] === bytes[matchEnd - shift]) matchEnd++
    writeSequence(bytes, literalsFrom, at, shift, matchEnd - at, out)
    at = matchEnd
    literalsFrom = at
    tries = 1 << skipShift
  }
  writeSequence(bytes, literalsFrom, end, 0, matchLengthMin, out)
}

/** A `distance` of 0 is the end of the block: literals alone. */
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

/** Shorter copies are quicker byte by byte. */
const bulkLengthMin = 24

/** Fills `out` from its start, and returns how many bytes that were. */
export function decompress(source: Uint8Array, out: Uint8Array): number {
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
      out.set(source.subarray(at, at + literals), end)
      at += literals
      end += literals
    } else for (const stop = at + literals; at < stop; ) out[end++] = source[at++]
    if (at >= source.length) return end
    const distance = source[at] | (source[at + 1] << 8)
    at += 2
    let length = token & 15
    if (length === 15) {
      let byte = 255
      for (; byte === 255; length += byte) byte = source[at++]
    }
    end = copyBack(out, end, distance, length + matchLengthMin)
  }
}

function copyBack(out: Uint8Array, end: number, distance: number, length: number): number {
  const stop = end + length
  if (length < bulkLengthMin || (distance < bulkLengthMin && distance > 1)) {
    for (let at = end; at < stop; at++) out[at] = out[at - distance]
  } else if (distance === 1) {
    out.fill(out[end - 1], end, stop)
  } else {
    for (let at = end; at < stop; at += distance) out.copyWithin(at, at - distance, Math.min(at, stop - distance))
  }
  return stop
}

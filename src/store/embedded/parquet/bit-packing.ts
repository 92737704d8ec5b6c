// Bit-packed numbers of one width, lowest bit first: the layout inside Parquet's RLE/bit-packed hybrid and DELTA_BINARY_PACKED encodings.
import type { ByteWriter } from './byte-writer.ts'
import type { PageInput } from './page-input.ts'

/** Bits needed for a number of up to 2^53; 0 for 0. */
export function bitWidth(value: number): number {
  if (value < 0x1_0000_0000) return 32 - Math.clz32(value)
  return 64 - Math.clz32(Math.floor(value / 0x1_0000_0000))
}

/** Packs `count` numbers of up to 32 bits from `start` on, padded with zeros to a multiple of eight numbers. */
export function packBits(values: Int32Array, start: number, count: number, width: number, out: ByteWriter): void {
  const bytes = Math.ceil(count / 8) * width
  out.reserve(bytes + 4)
  const { view } = out
  let at = out.length
  let word = 0
  let used = 0
  for (let index = start; index < start + count; index++) {
    const value = values[index]
    word |= value << used
    used += width
    if (used >= 32) {
      view.setInt32(at, word, true)
      at += 4
      used -= 32
      word = used === 0 ? 0 : value >>> (width - used)
    }
  }
  const end = out.length + bytes
  for (; at < end; at += 4) {
    view.setInt32(at, word, true)
    word = 0
  }
  out.length = end
}

/** Unpacks `count` numbers of up to 32 bits into `out` from `at` on, and advances the input past them. */
export function unpackBits(input: PageInput, width: number, count: number, out: Int32Array, at: number): void {
  const { view, position } = input
  if (width <= narrowWidthMax) {
    const whole = count - (count % 8)
    unpackGroups(view, position, width, whole, out, at)
    const last = position + (whole / 8) * width
    for (let index = whole, bit = 0; index < count; index++, bit += width) {
      out[at + index] = (view.getInt32(last + (bit >>> 3), true) >>> (bit & 7)) & ((1 << width) - 1)
    }
  } else {
    unpackTo32(view, position, width, count, out, at)
  }
  input.position += Math.ceil((count * width) / 8)
}

/** A number of this width, after up to 7 other bits, still fits in one word. */
const narrowWidthMax = 25

/** Eight numbers fill whole bytes, so their offsets are the same in every group and are computed once. */
function unpackGroups(
  view: DataView,
  position: number,
  width: number,
  count: number,
  out: Int32Array,
  at: number,
): void {
  const mask = (1 << width) - 1
  const bits2 = width * 2
  const bits3 = width * 3
  const bits4 = width * 4
  const bits5 = width * 5
  const bits6 = width * 6
  const bits7 = width * 7
  for (let index = at, byte = position; index < at + count; index += 8, byte += width) {
    out[index] = view.getInt32(byte, true) & mask
    out[index + 1] = (view.getInt32(byte + (width >>> 3), true) >>> (width & 7)) & mask
    out[index + 2] = (view.getInt32(byte + (bits2 >>> 3), true) >>> (bits2 & 7)) & mask
    out[index + 3] = (view.getInt32(byte + (bits3 >>> 3), true) >>> (bits3 & 7)) & mask
    out[index + 4] = (view.getInt32(byte + (bits4 >>> 3), true) >>> (bits4 & 7)) & mask
    out[index + 5] = (view.getInt32(byte + (bits5 >>> 3), true) >>> (bits5 & 7)) & mask
    out[index + 6] = (view.getInt32(byte + (bits6 >>> 3), true) >>> (bits6 & 7)) & mask
    out[index + 7] = (view.getInt32(byte + (bits7 >>> 3), true) >>> (bits7 & 7)) & mask
  }
}

function unpackTo32(view: DataView, position: number, width: number, count: number, out: Int32Array, at: number): void {
  const mask = width === 32 ? -1 : (1 << width) - 1
  let bit = 0
  for (let index = at; index < at + count; index++) {
    const byte = position + (bit >>> 3)
    const shift = bit & 7
    const low = view.getUint32(byte, true) >>> shift
    // Shifted in two steps, because JavaScript treats a shift by 32 as a shift by 0.
    out[index] = (low | ((view.getUint8(byte + 4) << 1) << (31 - shift))) & mask
    bit += width
  }
}

/** As `packBits`, for numbers of up to 53 bits. */
export function packWide(values: Float64Array, count: number, width: number, out: ByteWriter): void {
  out.reserve(count * 8 + 8)
  let bits = 0
  let rest = 0
  for (let index = 0; index < count; index++) {
    let value = values[index]
    for (let left = width; left > 0; ) {
      const taken = Math.min(8 - bits, left)
      rest |= (value % 2 ** taken) << bits
      value = Math.floor(value / 2 ** taken)
      left -= taken
      bits += taken
      if (bits < 8) continue
      out.bytes[out.length++] = rest
      bits = 0
      rest = 0
    }
  }
}

/** As `unpackBits`, for numbers of up to 53 bits. */
export function unpackWide(input: PageInput, width: number, count: number, out: Float64Array): void {
  const { bytes, position } = input
  let bit = 0
  for (let index = 0; index < count; index++) {
    let value = 0
    for (let done = 0; done < width; ) {
      const taken = Math.min(8 - (bit & 7), width - done)
      value += ((bytes[position + (bit >>> 3)] >>> (bit & 7)) & ((1 << taken) - 1)) * 2 ** done
      done += taken
      bit += taken
    }
    out[index] = value
  }
  input.position += (count * width) / 8
}

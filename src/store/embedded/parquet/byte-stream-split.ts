// BYTE_STREAM_SPLIT: all first bytes, then all second bytes, and so on. Bytes that hardly change are then adjacent, for the codec to compress.
import type { ByteWriter } from './byte-writer.ts'
import type { PageInput } from './page-input.ts'

const streams = 8

/** Writes the doubles from `start` up to `end`. */
export function writeSplit(values: Float64Array, start: number, end: number, out: ByteWriter): void {
  const count = end - start
  out.reserve(count * streams)
  const { bytes, length } = out
  const from = new Uint8Array(values.buffer, values.byteOffset + start * streams, count * streams)
  for (let stream = 0; stream < streams; stream++) {
    const at = length + stream * count
    for (let index = 0; index < count; index++) bytes[at + index] = from[index * streams + stream]
  }
  out.length += count * streams
}

/** Reads `count` doubles into the start of `out`. */
export function readSplit(input: PageInput, count: number, out: Float64Array): void {
  const words = new Int32Array(out.buffer, out.byteOffset, count * 2)
  const whole = count - (count % 4)
  joinWords(input.view, input.position, count, whole, words, 0)
  joinWords(input.view, input.position + 4 * count, count, whole, words, 1)
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
  for (let index = whole; index < count; index++) {
    for (let stream = 0; stream < streams; stream++)
      bytes[index * streams + stream] = input.bytes[input.position + stream * count + index]
  }
  input.position += count * streams
}

/** Joins four streams into every second word from `half` on, four numbers at a time: a transposition of 4 by 4 bytes. */
function joinWords(view: DataView, from: number, count: number, whole: number, words: Int32Array, half: number): void {
  for (let index = 0; index < whole; index += 4) {
    const a = view.getInt32(from + index, true)
    const b = view.getInt32(from + count + index, true)
    const c = view.getInt32(from + 2 * count + index, true)
    const d = view.getInt32(from + 3 * count + index, true)
    const to = 2 * index + half
    words[to] = (a & 0xff) | ((b & 0xff) << 8) | ((c & 0xff) << 16) | (d << 24)
    words[to + 2] = ((a >>> 8) & 0xff) | (b & 0xff00) | ((c & 0xff00) << 8) | ((d & 0xff00) << 16)
    words[to + 4] = ((a >>> 16) & 0xff) | ((b >>> 8) & 0xff00) | (c & 0xff0000) | ((d & 0xff0000) << 8)
    words[to + 6] = (a >>> 24) | ((b >>> 16) & 0xff00) | ((c >>> 8) & 0xff0000) | (d & 0xff000000)
  }
}

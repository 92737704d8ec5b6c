// BYTE_STREAM_SPLIT: all first bytes, then all second bytes, and so on. Those that hardly change then lie together, for the codec to fold.
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
  const { bytes, position: a } = input
  const words = new Int32Array(out.buffer, out.byteOffset, count * 2)
  const [b, c, d, e, f, g, h] = [1, 2, 3, 4, 5, 6, 7].map((stream) => a + stream * count)
  for (let i = 0; i < count; i++) {
    words[2 * i] = bytes[a + i] | (bytes[b + i] << 8) | (bytes[c + i] << 16) | (bytes[d + i] << 24)
    words[2 * i + 1] = bytes[e + i] | (bytes[f + i] << 8) | (bytes[g + i] << 16) | (bytes[h + i] << 24)
  }
  input.position += count * streams
}

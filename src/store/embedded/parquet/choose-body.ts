// Chooses the encoding and codec of a column chunk: each candidate writes a few of its pages, and the smallest result wins. A candidate that
// is slower to read must be smaller by a margin.
import { ByteWriter } from './byte-writer.ts'
import type { ColumnBody } from './column-body.ts'
import type { Codec } from './column-pages.ts'
import { compress } from './lz4.ts'

export interface ChosenBody {
  readonly body: ColumnBody
  readonly codec: Codec
}

const sampleValues = 32_768
/** Sampled values between two yields. */
const stepValues = 8192
/** Compressed pages must be smaller by this factor to be worth the work. */
const decompressionFactor = 1.15

/** `pageEnds` counts dense values. Among equally small candidates the first one is chosen. */
export function* chooseBody(
  candidates: readonly ColumnBody[],
  pageEnds: Int32Array,
  compresses: boolean,
): Generator<void, ChosenBody> {
  let best: ChosenBody | null = null
  let bestCost = Number.POSITIVE_INFINITY
  for (const body of candidates) {
    const sample = yield* takeSample(body, pageEnds, compresses)
    const dictionary = dictionaryBytes(body)
    const costs: readonly [Codec, number][] = [
      ['UNCOMPRESSED', sample.bytes],
      ['LZ4_RAW', sample.compressedBytes * decompressionFactor],
    ]
    for (const [codec, cost] of costs) {
      const whole = (cost * sample.scale + dictionary) * body.readingFactor
      if (whole >= bestCost) continue
      best = { body, codec }
      bestCost = whole
    }
    yield
  }
  if (best === null) throw new Error('a column chunk has no encoding to choose from')
  return best
}

interface Sample {
  readonly bytes: number
  readonly compressedBytes: number
  /** The number of all values divided by the number of sampled values. */
  readonly scale: number
}

const written = new ByteWriter()
const compressed = new ByteWriter()

function* takeSample(body: ColumnBody, pageEnds: Int32Array, compresses: boolean): Generator<void, Sample> {
  const values = pageEnds.at(-1) ?? 0
  const stride = Math.min(pageEnds.length, Math.ceil(values / sampleValues))
  let bytes = 0
  let compressedBytes = 0
  let sampled = 0
  let pausedAt = 0
  for (let page = stride >>> 1; page < pageEnds.length; page += Math.max(1, stride)) {
    const start = page === 0 ? 0 : pageEnds[page - 1]
    written.length = 0
    body.writeValues(start, pageEnds[page], written)
    bytes += written.length
    sampled += pageEnds[page] - start
    compressed.length = 0
    if (compresses) compress(written, 0, written.length, compressed)
    compressedBytes += compresses ? Math.min(compressed.length, written.length) : Number.POSITIVE_INFINITY
    if (sampled - pausedAt < stepValues) continue
    pausedAt = sampled
    yield
  }
  return { bytes, compressedBytes, scale: sampled === 0 ? 1 : values / sampled }
}

function dictionaryBytes({ dictionary }: ColumnBody): number {
  if (dictionary === null) return 0
  written.length = 0
  dictionary.write(written)
  return written.length
}

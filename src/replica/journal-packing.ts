// Compression of the journal in an entry of the log. docs/formats/replica.md describes the format, docs/decisions/replica.md the reasons.
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'

/** The size of output chunks: each smaller one would cost a round trip through the thread pool. */
const chunkSize = 1024 * 1024
const brotliCompressAsync = promisify(brotliCompress)
const brotliDecompressAsync = promisify(brotliDecompress)

/** Runs outside this thread. */
export function packJournal(bytes: Uint8Array): Promise<Buffer> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MIN_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return brotliCompressAsync(bytes, { chunkSize, params })
}

/** Throws when it is damaged, or does not contain exactly `bytes` bytes. */
export async function unpackJournal(packed: Uint8Array, bytes: number): Promise<Uint8Array> {
  const unpacked = await brotliDecompressAsync(packed, { chunkSize, maxOutputLength: Math.max(1, bytes) })
  if (unpacked.length !== bytes) throw new Error(`it holds ${unpacked.length} bytes, and its pieces have ${bytes}`)
  return unpacked
}

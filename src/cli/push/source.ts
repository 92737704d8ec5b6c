import { once } from 'node:events'
import { createReadStream, Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { withHead, withoutMark } from '../../file-push/encoding.ts'
import { describeName, type FileFormat } from '../../file-push/file-name.ts'
import { isGzip } from '../../lib/encodings.ts'
import { CommandError, UsageError } from '../command-error.ts'

export interface RowsSource {
  /** The file's bytes, decompressed if gzipped, without a byte order mark. */
  readonly bytes: AsyncIterable<Uint8Array>
  readonly format: FileFormat
  /** The delimiter of CSV cells, inferred from the file name. */
  readonly delimiter: string
  /** The file's name without folders and extensions; null for standard input. */
  readonly name: string | null
  /** Size of the file on disk, null if unknown. */
  readonly totalBytes: number | null
  /** The part of `totalBytes` that has been read. */
  readonly readBytes: () => number
}

const chunkBytes = 256 * 1024

async function* counted(input: AsyncIterable<Uint8Array>, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) {
    count(chunk.length)
    yield chunk
  }
}

/** Resolves when the stream accepts more or has ended. Removes the listener of the other event: a long file waits thousands of times. */
async function drainedOrEnded(stream: Duplex): Promise<void> {
  const either = new AbortController()
  const events = ['drain', 'end'].map((name) => once(stream, name, { signal: either.signal }))
  const settled = Promise.allSettled(events)
  try {
    await Promise.race(events)
  } finally {
    either.abort()
    await settled
  }
}

async function* gunzipped(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: chunkBytes })
  let read = 0
  /** The end of the last non-zero byte. A file may be padded with zeros, and zlib stops at the first one, whatever follows. */
  let saidBytes = 0
  const fed = (async () => {
    for await (const chunk of input) {
      const last = chunk.findLastIndex((byte) => byte !== 0)
      if (last >= 0) saidBytes = read + last + 1
      read += chunk.length
      if (gunzip.readableEnded) continue
      if (!gunzip.write(chunk)) await drainedOrEnded(gunzip)
    }
    gunzip.end()
  })()
  fed.catch((error: Error) => gunzip.destroy(error))
  yield* gunzip
  await fed
  if (saidBytes > gunzip.bytesWritten) {
    throw new CommandError(
      'After the end of the gzip data and zeros, there is more data: the file is damaged. That data was not pushed.',
    )
  }
}

/** Gzip is recognized by its first bytes, not by the name, because the input may be a pipe. */
async function* decompressed(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = withHead(input, 2)
  const first = await chunks.next()
  if (first.done) return
  const all = (async function* () {
    yield first.value
    yield* chunks
  })()
  yield* isGzip(first.value) ? gunzipped(all) : all
}

function formatOf(path: string, asked: FileFormat | undefined, fromName: FileFormat | null): FileFormat {
  const format = asked ?? fromName
  if (format !== null) return format
  if (/\.(xlsx?|xlsm|xlsb|ods)$/i.test(path))
    throw new UsageError(`"${path}" is a spreadsheet. Save its sheet as CSV (in Excel as "CSV UTF-8"), and push that.`)
  throw new UsageError(
    `The name "${path}" does not show the format. Give --format csv, ndjson, json or lp (line protocol).`,
  )
}

/** Opens a file, or standard input for `-`. Throws `CommandError` if the file does not exist or its format is unknown. */
export async function openSource(path: string, asked: FileFormat | undefined, stdin: Readable): Promise<RowsSource> {
  let read = 0
  const count = (bytes: number): void => {
    read += bytes
  }
  const bytesOf = (input: AsyncIterable<Uint8Array>) => withoutMark(decompressed(counted(input, count)))
  if (path === '-') {
    const format = formatOf(path, asked, null)
    return { bytes: bytesOf(stdin), format, delimiter: ',', name: null, totalBytes: null, readBytes: () => read }
  }
  const { name, format: fromName, delimiter } = describeName(basename(path))
  const stats = await stat(path).catch((cause: unknown) => cause)
  if (stats instanceof Stats && stats.isDirectory())
    throw new CommandError(`"${path}" is a folder. Push its files one by one.`)
  const format = formatOf(path, asked, fromName)
  if (!(stats instanceof Stats))
    throw new CommandError(`The file "${path}" does not exist or cannot be read.`, { cause: stats })
  const file = createReadStream(path, { highWaterMark: chunkBytes })
  const totalBytes = stats.isFile() ? stats.size : null
  return { bytes: bytesOf(file), format, delimiter, name, totalBytes, readBytes: () => read }
}

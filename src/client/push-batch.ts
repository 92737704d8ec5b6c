import { joinedBytes } from '../lib/joined-bytes.ts'
import { ServiceError } from './service-error.ts'
import type { PushFormat } from './transport.ts'

/** The rows of one request. */
export interface PushBatch {
  /** Number of its first row in the whole input, from 1. */
  readonly firstRow: number
  readonly rows: number
  readonly body: Uint8Array
  /** The individual rows of the body. */
  readonly texts: readonly Uint8Array[]
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const frames: Record<PushFormat, { open: Uint8Array; between: Uint8Array; close: Uint8Array }> = {
  json: { open: bytesOf('['), between: bytesOf(','), close: bytesOf(']') },
  ndjson: { open: bytesOf(''), between: bytesOf('\n'), close: bytesOf('\n') },
}

function bodyOf(rows: readonly Uint8Array[], format: PushFormat): Uint8Array {
  const { open, between, close } = frames[format]
  const parts: Uint8Array[] = [open]
  for (const [index, row] of rows.entries()) parts.push(index === 0 ? open.subarray(0, 0) : between, row)
  parts.push(close)
  return joinedBytes(parts)
}

export function batchOf(texts: readonly Uint8Array[], firstRow: number, format: PushFormat): PushBatch {
  return { firstRow, rows: texts.length, body: bodyOf(texts, format), texts }
}

/** The same rows in two requests, for a service that accepts fewer at once. The batch must have at least two rows. */
export function halvesOf({ texts, firstRow }: PushBatch, format: PushFormat): readonly PushBatch[] {
  const half = Math.ceil(texts.length / 2)
  return [batchOf(texts.slice(0, half), firstRow, format), batchOf(texts.slice(half), firstRow + half, format)]
}

/** Nothing of the push was stored, but fewer rows may be accepted. */
export function isTooMuch(error: unknown): boolean {
  return error instanceof ServiceError && ['too_many_rows', 'body_too_large'].includes(error.code)
}

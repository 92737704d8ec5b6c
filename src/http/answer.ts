// Sends whole responses, compressed if the client accepts it, at the speed at which the client reads.
import { pipeline, Readable, type Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import * as zlib from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { filePieces } from '../answer/answer-data.ts'
import { chooseEncoding } from './accept.ts'
import { cutOffIdle } from './idle-clients.ts'

export interface Body {
  readonly bytes: number
  /** The part that produced it, where there is a choice. */
  readonly answeredBy?: 'store' | 'sql-engine'
  /** In memory, or read while it is sent. */
  readonly chunks: readonly Uint8Array[] | AsyncIterable<Uint8Array>
}

/** Smaller bodies fit in one packet uncompressed. */
const compressedBytesMin = 1024
/** Larger bodies are sent in pieces. */
const onePieceBytesMax = 65_536
/** Pieces read from a file before the client takes them; together with the piece being sent, fewer than `filePieces`. */
const piecesAhead = filePieces / 4

const compressors: ReadonlyMap<string, () => Transform> = new Map([
  ...zstdWhereItIs(),
  ['br', () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ['gzip', () => zlib.createGzip({ level: 4 })],
])
/** Fastest first, because most clients weight them equally. */
const encodings = [...compressors.keys()]

/** Only later releases of Node.js have zstd. */
function zstdWhereItIs(): [string, () => Transform][] {
  const create: unknown = Reflect.get(zlib, 'createZstdCompress')
  return typeof create === 'function' ? [['zstd', () => create()]] : []
}

/**
 * `sendIdleMs`: a client that reads nothing of a large body for this long is disconnected; for other responses see `cutOffUnsent`. `asked`: the only encoding
 * to use, if the client accepts it, however short the body is.
 */
export async function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  mediaType: string,
  body: Body,
  sendIdleMs: number,
  asked: 'gzip' | null = null,
): Promise<FastifyReply> {
  const mayBeCompressed = asked !== null || body.bytes >= compressedBytesMin
  const offered = asked === null ? encodings : [asked]
  const encoding = mayBeCompressed ? chooseEncoding(request.headers['accept-encoding']?.toString(), offered) : null
  if (mayBeCompressed) varyBy(reply, 'Accept-Encoding')
  if (body.answeredBy !== undefined) reply.header('Tidemark-Answered-By', body.answeredBy)
  reply.type(mediaType)
  if (body.bytes > onePieceBytesMax) cutOffIdle(reply.raw, sendIdleMs)
  if (encoding !== null) return sendCompressed(reply, body, encoding)
  if (body.bytes <= onePieceBytesMax) return reply.send(pieceInMemory(body) ?? (await onePiece(body)))
  return reply.header('Content-Length', body.bytes).send(Readable.from(body.chunks, { highWaterMark: piecesAhead }))
}

function varyBy(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('vary')
  reply.header('Vary', vary === undefined ? name : `${vary}, ${name}`)
}

async function sendCompressed(reply: FastifyReply, body: Body, encoding: string): Promise<FastifyReply> {
  const compressor = compressors.get(encoding)!()
  reply.header('Content-Encoding', encoding)
  if (body.bytes > onePieceBytesMax) {
    // A failure on one side ends the other, so that the client does not mistake a partial response for a complete one.
    pipeline(Readable.from(body.chunks, { highWaterMark: piecesAhead }), compressor, () => undefined)
    return reply.send(compressor)
  }
  compressor.end(pieceInMemory(body) ?? (await onePiece(body)))
  return reply.send(await buffer(compressor))
}

/** Null when the body is read from a file. */
function pieceInMemory({ bytes, chunks }: Body): Buffer | null {
  if (!Array.isArray(chunks)) return null
  const inMemory: readonly Uint8Array[] = chunks
  const [only] = inMemory
  if (inMemory.length !== 1 || only === undefined) return Buffer.concat(inMemory, bytes)
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength)
}

async function onePiece({ bytes, chunks }: Body): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const chunk of chunks) pieces.push(chunk)
  return Buffer.concat(pieces, bytes)
}

export function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  value: unknown,
  sendIdleMs: number,
): Promise<FastifyReply> {
  const chunk = Buffer.from(JSON.stringify(value))
  return sendBody(request, reply, 'application/json', { bytes: chunk.length, chunks: [chunk] }, sendIdleMs)
}

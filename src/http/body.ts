// Reads request bodies with bounded size and decompresses them, before they are parsed.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { gunzip } from 'node:zlib'
import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import { hasMark, markBytes } from '../lib/encodings.ts'
import { messageOf } from '../lib/message-of.ts'
import { formatMediaType } from '../model/answer-format.ts'
import { Problem } from '../model/problem.ts'
import type { BodyBudget, BodyShare } from './body-budget.ts'
import type { HttpSettings } from './http-settings.ts'

export interface BodyRule {
  /** Maximum bytes, after decompression. */
  readonly limitBytes: number
  /** The name of the limit's setting, for the message. */
  readonly limitName: string
  readonly tooLarge: 'body_too_large' | 'query_body_too_large'
  /** Accepted media types; a request without one is treated as JSON. Null accepts any. */
  readonly mediaTypes: readonly string[] | null
  /** Budget for all bodies with this rule; if absent, they share the server's budget with all others. */
  readonly budget?: BodyBudget
  /** The body that an empty one stands for; if absent, an empty body is refused. */
  readonly whenEmpty?: string
  /** Absent when the caller is authenticated before the body is read. */
  readonly strangers?: UnauthenticatedLimits
}

/** Limits for callers that are identified only by their body, until they are known. */
export interface UnauthenticatedLimits {
  /** Maximum bytes, both compressed and decompressed. */
  readonly limitBytes: number
  /** Why the caller may not send more, given the beginning of the body (null if compressed); null if it may. */
  readonly refusal: (beginning: Buffer | null) => Problem | null
}

export const jsonTypes = [formatMediaType('json')]
export const pushTypes = [formatMediaType('json'), formatMediaType('ndjson')]

/** Bytes of a refused body that are still read so that the client can see the response; then the connection is closed. */
const discardedBytesMax = 64 * 1024 * 1024

/** About a millisecond's work. */
const joinedAtOnceBytes = 1024 * 1024

/** With this much spare output space, zlib detects the end in one pass. */
const gunzipSlackBytes = 64

type BodyDone = (error: Error | null, body: Buffer | null) => void

/** Sets the bytes of the body as the request's body. */
export function readBytes(rule: BodyRule): preValidationHookHandler {
  return (request, reply, done) => {
    const { headers, raw } = request
    const problem = refuse(headers, rule)
    if (problem !== null) {
      done(problem)
      return
    }
    // HTTP/1.0 clients do not expect an interim response.
    if (headers.expect !== undefined && raw.httpVersion !== '1.0') reply.raw.writeContinue()
    readBody(raw, rule, (rule.budget ?? request.server.sharedBodies).share(reply.raw), (error, body) => {
      request.body = body
      done(error ?? undefined)
    })
  }
}

/** Reads a body up to the limit, decompressed and without a byte order mark. An empty one is replaced by `whenEmpty` or refused. */
export function readBody(raw: IncomingMessage, rule: BodyRule, share: BodyShare, done: BodyDone): void {
  const compressed = isGzip(raw.headers['content-encoding'])
  collectBody(raw, rule, share, (error, body) => {
    if (compressed && body !== null && body.length > 0) decompress(body, rule, share, finish)
    else finish(error, body)
  })
  function finish(error: Error | null, marked: Buffer | null): void {
    const body = marked !== null && hasMark(marked) ? marked.subarray(markBytes) : marked
    if (body === null || body.length > 0) done(error, body)
    else if (rule.whenEmpty === undefined) done(error ?? emptyBody(), null)
    else done(error, Buffer.from(rule.whenEmpty))
  }
}

/** Parses the body as JSON and sets it as the request's body; its bytes are also stored in `kept`. */
export function readJson(rule: BodyRule, kept?: WeakMap<FastifyRequest, Uint8Array>): preValidationHookHandler {
  const read = readBytes(rule)
  return function (request, reply, done) {
    read.call(this, request, reply, (error) => {
      if (error !== undefined) {
        done(error)
        return
      }
      try {
        if (Buffer.isBuffer(request.body)) kept?.set(request, request.body)
        request.body = parseJson(request.body)
        done()
      } catch (parseError) {
        done(parseError instanceof Error ? parseError : new Error(String(parseError)))
      }
    })
  }
}

/** Like `readJson`, for the body of a query. */
export function readQueryBody(
  { limits }: HttpSettings,
  kept?: WeakMap<FastifyRequest, Uint8Array>,
): preValidationHookHandler {
  const rule: BodyRule = {
    limitBytes: limits.queryBodyBytes,
    limitName: 'limits.queryBodyBytes',
    tooLarge: 'query_body_too_large',
    mediaTypes: jsonTypes,
  }
  return readJson(rule, kept)
}

function parseJson(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || !isUtf8(body)) {
    throw new Problem('invalid_json', 'The body is not UTF-8. Send JSON in UTF-8.')
  }
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new Problem('invalid_json', `The body is not JSON: ${messageOf(error)}.`)
  }
}

/** The media type of a Content-Type, without parameters; null when its charset is not UTF-8. */
export function mediaTypeOf(contentType: string | undefined): string | null {
  if (contentType === undefined || contentType === 'application/json') return 'application/json'
  // A semicolon between quotes does not separate. Unclosed quotes extend to the end, so that the expression does not backtrack.
  const [type, ...parameters] = contentType.match(/(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^;"])+/gs) ?? ['']
  const otherCharset = parameters.some(
    (parameter) => /^\s*charset\s*=/i.test(parameter) && !/=\s*"?utf-?8"?\s*$/i.test(parameter),
  )
  return otherCharset ? null : type!.trim().toLowerCase()
}

function isGzip(encoding: string | undefined): boolean {
  return encoding !== undefined && /^\s*(x-)?gzip\s*$/i.test(encoding)
}

function contentTypeAdvice(mediaType: string | null): string {
  if (mediaType === formatMediaType('csv')) return 'The command "tidemark push <ingest> <file>.csv" sends CSV as rows.'
  return 'Set the header Content-Type: curl -d does not.'
}

function refuse(headers: IncomingMessage['headers'], rule: BodyRule): Problem | null {
  const mediaType = mediaTypeOf(headers['content-type'])
  if (rule.mediaTypes !== null && (mediaType === null || !rule.mediaTypes.includes(mediaType))) {
    return new Problem(
      'unsupported_media_type',
      `The body's Content-Type must be ${rule.mediaTypes.join(' or ')}, in UTF-8. ${contentTypeAdvice(mediaType)}`,
    )
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && !isGzip(encoding) && !/^\s*(?:identity\s*)?$/i.test(encoding)) {
    return new Problem(
      'unsupported_media_type',
      "The body's Content-Encoding must be gzip. Or send the body without one.",
      {
        headers: { 'Accept-Encoding': 'gzip, identity' },
      },
    )
  }
  return Number(headers['content-length'] ?? 0) > rule.limitBytes ? tooLarge(rule) : null
}

function tooLarge({ limitBytes, limitName, tooLarge: code }: BodyRule): Problem {
  return new Problem(
    code,
    `The body has more than ${limitBytes} bytes (${limitName}), counted decompressed. Send less in one request.`,
  )
}

function emptyBody(): Problem {
  return new Problem('invalid_body', 'The body is empty. /openapi.json describes the body of this endpoint.')
}

/** Reads up to the limit. The remainder is left to `discardBody`. */
function collectBody(raw: IncomingMessage, rule: BodyRule, share: BodyShare, done: BodyDone): void {
  const chunks: Buffer[] = []
  const isCompressed = isGzip(raw.headers['content-encoding'])
  const { strangers } = rule
  let bytes = 0
  let isStranger = strangers !== undefined
  let ended = false
  let finished = false
  raw.on('data', onData)
  raw.on('end', onEnd)
  raw.on('error', onBroken)
  raw.on('close', onBroken)

  function onData(chunk: Buffer): void {
    bytes += chunk.length
    const refusal = refusalOf(chunk)
    if (refusal !== null) finish(refusal, null)
    else if (bytes > rule.limitBytes) finish(tooLarge(rule), null)
    else if (share.resize(bytes) === false) finish(share.full(), null)
    else chunks.push(chunk)
  }
  function refusalOf(chunk: Buffer): Problem | null {
    if (strangers === undefined || !isStranger || bytes <= strangers.limitBytes) return null
    isStranger = false
    return strangers.refusal(isCompressed ? null : Buffer.concat([...chunks, chunk], strangers.limitBytes))
  }
  function onEnd(): void {
    ended = true
    if (bytes <= joinedAtOnceBytes) finish(null, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes))
    else
      join(chunks, bytes).then(
        (body) => finish(null, body),
        (error: Error) => finish(error, null),
      )
  }
  function onBroken(): void {
    // Every request is closed eventually, most of them long after the body was complete.
    if (!ended) finish(new Problem('malformed_http', 'The body ended too early. Send it again.'), null)
  }
  function finish(error: Error | null, body: Buffer | null): void {
    if (finished) return
    finished = true
    // The error listener stays, so that a late error is handled.
    raw.off('data', onData)
    done(error, body)
  }
}

/** Joins a large body in steps, so that other requests run in between. */
async function join(chunks: readonly Buffer[], bytes: number): Promise<Buffer> {
  const body = Buffer.allocUnsafe(bytes)
  let at = 0
  let pieceEnd = joinedAtOnceBytes
  for (const chunk of chunks) {
    if (at >= pieceEnd) {
      await setImmediate()
      pieceEnd = at + joinedAtOnceBytes
    }
    chunk.copy(body, at)
    at += chunk.length
  }
  return body
}

/**
 * First reserves memory for the decompressed body: the size that gzip states in its last four bytes. If that is wrong, or the body has several members, it
 * reserves the maximum.
 */
function decompress(body: Buffer, rule: BodyRule, share: BodyShare, done: BodyDone): void {
  const said = body.length < 4 ? 0 : body.readUInt32LE(body.length - 4)
  let { limitBytes } = rule
  if (rule.strangers !== undefined) limitBytes = Math.min(limitBytes, rule.strangers.limitBytes)
  inflate(Math.max(1, Math.min(said, limitBytes)))

  function inflate(outputBytesMax: number): void {
    if (share.resize(body.length + outputBytesMax) === false) {
      done(share.full(), null)
      return
    }
    // Few chunks, because each costs a turn of the event loop; but not one, which would occupy a thread that the journal may need.
    const chunkSize = Math.min(outputBytesMax + gunzipSlackBytes, joinedAtOnceBytes)
    gunzip(body, { maxOutputLength: outputBytesMax, chunkSize, info: true }, (error, inflated: unknown) => {
      if (error === null && isInflated(inflated)) {
        const { buffer, engine } = inflated
        share.resize(buffer.length)
        // Zeros may pad the data; zlib stops at the first one, whatever follows it.
        const isWhole = isZeros(body.subarray(engine.bytesWritten))
        done(isWhole ? null : notGzip('there is more data after its end'), isWhole ? buffer : null)
      } else if (error === null) done(new Error('zlib answered without an error and without bytes'), null)
      else if (!('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')) done(notGzip(error.message), null)
      else if (outputBytesMax < limitBytes) inflate(limitBytes)
      else if (limitBytes === rule.limitBytes) done(tooLarge(rule), null)
      else done(rule.strangers?.refusal(null) ?? null, null)
    })
  }
}

/** The first byte is 0 and each byte equals its predecessor: a native comparison of millions of bytes at once, where a loop would block other requests. */
function isZeros(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1)))
}

interface Inflated {
  readonly buffer: Buffer
  /** `bytesWritten` is how much of the body was consumed. */
  readonly engine: { readonly bytesWritten: number }
}

/** The result of zlib with the option `info`. */
function isInflated(value: unknown): value is Inflated {
  return typeof value === 'object' && value !== null && 'buffer' in value && 'engine' in value
}

function notGzip(message: string): Problem {
  return new Problem(
    'invalid_body',
    `The Content-Encoding says gzip, but the body is not gzip: ${message}. Compress the body, or leave the header out.`,
  )
}

/** Reads the rest of a refused request's body: a client that is still sending would otherwise not see the response. */
export function discardBody(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return
  let bytes = 0
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > discardedBytesMax) raw.destroy()
  })
}

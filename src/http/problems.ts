import { gzipSync } from 'node:zlib'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { NoKey } from '../access/caller.ts'
import { errorAnswer, refusalStatus } from '../avatica/error-answer.ts'
import { encodeJson } from '../avatica/json/json-codec.ts'
import { encodeProtobuf } from '../avatica/protobuf/protobuf-codec.ts'
import { failure } from '../i3x/answers.ts'
import { Problem } from '../model/problem.ts'
import { chooseEncoding } from './accept.ts'
import { commonHeaders } from './common-headers.ts'
import { druidErrorBody } from './druid-errors.ts'
import { lineErrorBody, lineStatus, statementErrorBody } from './line-errors.ts'
import { pathOf } from './request-head.ts'

export const problemType = 'application/problem+json'

const basic = 'Basic realm="tidemark", charset="UTF-8"'
/** With this challenge on a 401, browsers do not prompt for a password, which they would store. */
const bearer = 'Bearer realm="tidemark"'

function stamp(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders(request.id))
}

/** Adds the common headers that the route has not set. */
export function completeHeaders(request: FastifyRequest, reply: FastifyReply): void {
  for (const [name, value] of Object.entries(commonHeaders(request.id)))
    if (!reply.hasHeader(name)) reply.header(name, value)
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  stamp(request, reply)
  // The problem may replace a response that was about to be sent.
  reply.removeHeader('Content-Encoding').removeHeader('Content-Length')
  reply.headers(problem.headers)
  if (problem.retryAfterS !== undefined) reply.header('Retry-After', problem.retryAfterS)
  if (problem.code === 'shutting_down') reply.header('Connection', 'close')
  const { keySchemes = [] } = request.routeOptions.config
  const errorBody = errorBodyOf(request)
  if (problem.code === 'forbidden' && keySchemes.includes('basic'))
    reply.header('WWW-Authenticate', errorBody === 'i3x' ? bearer : basic)
  const { mediaType, bytes } = bodyOf(problem, errorBody)
  // i3X requires gzip for every response.
  const isGzip =
    errorBody === 'i3x' && chooseEncoding(request.headers['accept-encoding']?.toString(), ['gzip']) !== null
  if (isGzip) reply.header('Content-Encoding', 'gzip').header('Vary', 'Accept-Encoding')
  reply
    .code(statusOf(problem, errorBody))
    .type(mediaType)
    .send(isGzip ? gzipSync(bytes) : bytes)
}

/** An unreadable or unknown path has no route; below the paths of another protocol, its error has that protocol's format. */
function errorBodyOf({ routeOptions, is404, raw }: FastifyRequest): FastifyContextConfig['errorBody'] {
  if (!is404) return routeOptions.config.errorBody
  const path = pathOf(raw.url ?? '')
  if (/\/i3x\/v1(?:\/|$)/.test(path)) return 'i3x'
  return /\/druid\/v2(?:\/|$)/.test(path) ? 'druid' : routeOptions.config.errorBody
}

export const protobufType = 'application/x-google-protobuf'

interface ErrorBody {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

function statusOf(problem: Problem, form: FastifyContextConfig['errorBody']): number {
  if (form === 'lines' || form === 'influxql') return lineStatus(problem)
  if (form === 'i3x') return problem instanceof NoKey ? 401 : problem.status
  return form === 'avatica-json' || form === 'avatica-protobuf' ? refusalStatus(problem) : problem.status
}

function bodyOf(problem: Problem, form: FastifyContextConfig['errorBody']): ErrorBody {
  switch (form) {
    case 'druid':
      return { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(druidErrorBody(problem))) }
    case 'lines':
      return { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(lineErrorBody(problem))) }
    case 'influxql':
      return { mediaType: 'application/json', bytes: Buffer.from(JSON.stringify(statementErrorBody(problem))) }
    case 'i3x':
      return {
        mediaType: 'application/json',
        bytes: Buffer.from(JSON.stringify(failure(problem, statusOf(problem, form)))),
      }
    case 'avatica-json':
      return { mediaType: 'application/json', bytes: encodeJson(errorAnswer(problem)) }
    case 'avatica-protobuf':
      return { mediaType: protobufType, bytes: encodeProtobuf(errorAnswer(problem)) }
    default:
      return { mediaType: problemType, bytes: Buffer.from(JSON.stringify(problem.body())) }
  }
}

/** Converts an error of the framework to a Problem; null for a failure of the service itself. */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error
  const { code, statusCode } = frameworkError(error)
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type', 'The Content-Type is not a media type. Send application/json.')
    case 'FST_ERR_BAD_URL':
      return new Problem(
        'malformed_http',
        'The path has a % that does not begin a valid percent-encoding. Write %25 for a % sign.',
      )
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('path_not_found', 'A part of the path is longer than any name can be. Check the path.')
  }
  return code.startsWith('FST_') && statusCode >= 400 && statusCode < 500
    ? new Problem('malformed_http', 'The service does not understand the request. Check its headers and its path.')
    : null
}

function frameworkError(error: unknown): { readonly code: string; readonly statusCode: number } {
  if (!(error instanceof Error)) return { code: '', statusCode: 0 }
  const code: unknown = Reflect.get(error, 'code')
  const statusCode: unknown = Reflect.get(error, 'statusCode')
  return { code: typeof code === 'string' ? code : '', statusCode: typeof statusCode === 'number' ? statusCode : 0 }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Answer } from '../../answer/whole-answer.ts'
import type { Cancellation } from '../../lib/cancellation.ts'
import type { Reading } from '../../mcp/tools.ts'
import { formatMediaType } from '../../model/answer-format.ts'
import type { QueryKind } from '../../model/query-kind.ts'
import type { QueryRequest } from '../../query/requests.ts'
import { sendBody } from '../answer.ts'
import { readQueryBody } from '../body.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route, RouteParts } from '../route.ts'
import { bodyProblems } from './admin-request.ts'

const url = '/mcp'
const jsonType = formatMediaType('json')

const Message = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
    method: Type.Optional(Type.String({ examples: ['tools/list'] })),
    params: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: true, description: 'A message of the Model Context Protocol.' },
)

/** The Model Context Protocol over HTTP, for assistants: one message per request. */
export const postMcp: Route = (app, parts) => {
  const { services, settings, guard, inFlight } = parts
  // With a 308, clients repeat the POST, including body and key, at the target.
  app.route({
    method: 'POST',
    url: `${url}/`,
    schema: { hide: true, querystring: anyParameters },
    handler: (_request, reply) => reply.redirect(`..${url}`, 308),
  })
  app.route({
    method: 'POST',
    url,
    schema: {
      tags: ['consumption'],
      operationId: 'mcp',
      summary: 'The Model Context Protocol, for assistants (Streamable HTTP, without sessions).',
      description: 'Its tools only read, with the rights of the key: docs/guides/assistants.md.',
      security: optionalKeySecurity,
      body: Message,
      response: {
        ...answers(200, 'The answer to the message.', Type.Object({}, { additionalProperties: true }), [
          ...bodyProblems,
          'query_body_too_large',
        ]),
        202: { description: 'The message needs no answer.', type: 'null' },
      },
    },
    onRequest: guard.consumption,
    preValidation: readQueryBody(settings),
    handler: async (request, reply: FastifyReply) => {
      // Loaded at the first request, because it takes a third of a second and 25 MB.
      const { answerMessage } = await import('../../mcp/assistant-server.ts')
      const cancellation = inFlight.cancellation(reply)
      const answer = await answerMessage(messageRequest(request, cancellation.signal), request.body, {
        reading: () => readingOf(request, cancellation, parts),
        nowMs: Date.now,
        failure: (error) => {
          // The client has disconnected.
          if (cancellation.aborted) return ''
          services.observe({ kind: 'requestFailed', id: request.id, method: 'POST', route: url, error })
          return `The service failed; its log says why under the request id ${request.id}.`
        },
      })
      const { body, mediaType } = await plainAnswer(answer)
      reply.code(answer.status)
      if (body.length === 0) return reply.send()
      return sendBody(request, reply, mediaType, { bytes: body.length, chunks: [body] }, settings.limits.sendIdleMs)
    },
  })
}

/** Converts a stream with a single message to plain JSON: clients that accept streams also accept JSON, but not vice versa. */
async function plainAnswer(answer: Response): Promise<{ readonly body: Buffer; readonly mediaType: string }> {
  const mediaType = answer.headers.get('content-type') ?? jsonType
  const body = Buffer.from(await answer.arrayBuffer())
  if (!mediaType.startsWith('text/event-stream')) return { body, mediaType }
  const [data, ...others] = body.toString().match(/^data: .*$/gm) ?? []
  if (data === undefined || others.length > 0) return { body, mediaType }
  return { body: Buffer.from(data.slice('data: '.length)), mediaType: jsonType }
}

/** The message as the protocol's package needs it, with the protocol's headers only. The package insists on two media types; many clients send one. */
function messageRequest({ headers }: FastifyRequest, signal: AbortSignal): Request {
  const known = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  return new Request(`http://localhost${url}`, {
    method: 'POST',
    headers: {
      ...Object.fromEntries(known.map(([name, value]) => [name, String(value)])),
      accept: `${jsonType}, text/event-stream`,
      'content-type': jsonType,
    },
    signal,
  })
}

/** Reads on behalf of the caller of a request, with the services of the other routes. */
function readingOf(
  request: FastifyRequest,
  cancellation: Cancellation,
  { services, guard }: Pick<RouteParts, 'services' | 'guard'>,
): Reading {
  const { signal } = cancellation
  const reader = guard.reader(request)
  const readable = guard.readable(request)
  async function* bytesOf(name: string, run: () => Promise<Answer>): AsyncGenerator<Uint8Array> {
    const startedMs = performance.now()
    const answer = await run()
    try {
      const { rows, bytes } = answer
      services.observe({ kind: 'queryAnswered', query: name, rows, bytes, ms: performance.now() - startedMs })
      yield* answer.chunks
    } finally {
      answer.release()
    }
  }
  return {
    entities: () => services.entityList.list(signal, reader),
    tags: (entity, asked = {}) => services.tagLists.list(entity, asked, signal, reader),
    queryBytes: (kind, asked, format = 'json') => {
      // The tool has validated the shape.
      const question = { kind, request: asked as QueryRequest<QueryKind>, format }
      return bytesOf(kind, () => services.queries.run(question, cancellation, reader))
    },
    sqlBytes: (text, format = 'json') =>
      bytesOf('sql-query', () => services.sqlQueries.run({ text, format }, cancellation, reader)),
    metadata: () => services.metadata.describe({}, readable),
    itemsText: async (table, parameters) => {
      const query = String(new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])))
      const { chunks } = await services.metadata.list(table, query, readable, signal)
      return Buffer.concat(chunks).toString()
    },
  }
}

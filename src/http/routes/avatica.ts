import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import Type from 'typebox'
import type { AvaticaRequest, AvaticaResponse } from '../../avatica/avatica-protocol.ts'
import { errorAnswer, errorStatus } from '../../avatica/error-answer.ts'
import type { ConnectionCaller } from '../../avatica/jdbc-connections.ts'
import { connectionIdInJson, decodeJson, encodeJson } from '../../avatica/json/json-codec.ts'
import { connectionIdInProtobuf, decodeProtobuf, encodeProtobuf } from '../../avatica/protobuf/protobuf-codec.ts'
import { Problem } from '../../model/problem.ts'
import { sendBody } from '../answer.ts'
import { type BodyRule, readBytes } from '../body.ts'
import { BodyBudget } from '../body-budget.ts'
import { optionalBasicSecurity } from '../document.ts'
import { networkOf } from '../failed-keys.ts'
import { type Guard, showsKey } from '../guard.ts'
import { protobufType } from '../problems.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'
import type { Services } from '../services.ts'

interface WireFormat {
  readonly path: string
  readonly name: 'avatica-json' | 'avatica-protobuf'
  readonly mediaType: string
  readonly body: object
  readonly connectionIdIn: (beginning: Buffer) => string | null
  readonly decode: (body: Uint8Array) => AvaticaRequest
  readonly encode: (response: AvaticaResponse) => Uint8Array
}

const AvaticaMessage = Type.Object({}, { additionalProperties: true, description: 'As in the reference of Avatica.' })
const Bytes = Type.String({ format: 'binary', description: 'A `WireMessage` of Avatica.' })

const wireFormats: readonly WireFormat[] = [
  {
    path: '/druid/v2/sql/avatica',
    name: 'avatica-json',
    mediaType: 'application/json',
    body: AvaticaMessage,
    connectionIdIn: connectionIdInJson,
    decode: decodeJson,
    encode: encodeJson,
  },
  {
    path: '/druid/v2/sql/avatica-protobuf',
    name: 'avatica-protobuf',
    mediaType: protobufType,
    body: Bytes,
    connectionIdIn: connectionIdInProtobuf,
    decode: decodeProtobuf,
    encode: encodeProtobuf,
  },
]

/** The media type varies between drivers. */
const mediaTypes = [
  'application/json',
  'application/octet-stream',
  protobufType,
  'application/x-protobuf',
  'text/plain',
]

/** Enough for opening a connection, a request that contains the key in its body. */
const strangersBytesMax = 8192

/** JDBC, in the two wire formats of Avatica's protocol; the path may end with a slash. */
export const postAvatica: Route = (app, { services, settings, guard, inFlight }) => {
  const { limits, jdbc } = settings
  const rule: BodyRule = {
    limitBytes: limits.queryBodyBytes,
    limitName: 'limits.queryBodyBytes',
    tooLarge: 'query_body_too_large',
    mediaTypes,
    budget: new BodyBudget({
      bytesMax: jdbc.bodiesBytes,
      limitName: 'jdbc.bodiesBytes',
      requests: 'JDBC requests',
    }),
  }
  for (const format of wireFormats) {
    for (const end of ['', '/']) {
      app.route({
        method: 'POST',
        url: format.path + end,
        config: { keySchemes: ['basic'], errorBody: format.name },
        schema: { ...described(format), hide: end === '' },
        validatorCompiler: () => () => true,
        preValidation: readKnown(rule, format, guard, services.avatica),
        handler: async (request, reply) => {
          const { body } = request
          if (!(body instanceof Uint8Array)) throw new Error('the body of a request of Avatica is read as bytes')
          const asked = format.decode(body)
          const signal = inFlight.signal(reply)
          const caller = { ...connectionCaller(guard, request), signal }
          const answer = await services.avatica.answer(asked, caller).catch((error: unknown) => {
            if (!(error instanceof Problem) || error.code === 'forbidden') throw error
            reply.code(errorStatus)
            return errorAnswer(error)
          })
          const chunk = format.encode(answer)
          const sent = { bytes: chunk.length, chunks: [chunk] }
          return sendBody(request, reply, format.mediaType, sent, limits.sendIdleMs)
        },
      })
    }
  }
}

function connectionCaller(guard: Guard, request: FastifyRequest): ConnectionCaller {
  const reader = (key: string | null) => guard.readerOn(request, key)
  return { reader, hasKey: showsKey(request), network: networkOf(request.ip) }
}

/** Reads a body. A large one is accepted only from a known sender, identified by the request's key or by the connection that it names. */
function readKnown(
  rule: BodyRule,
  { connectionIdIn }: WireFormat,
  guard: Guard,
  avatica: Services['avatica'],
): preValidationHookHandler {
  return function (request, reply, done) {
    const caller = connectionCaller(guard, request)
    const refusal = (beginning: Buffer | null): Problem | null =>
      refusalIn(() => {
        if (caller.hasKey) caller.reader(null)
        const id = beginning === null ? null : connectionIdIn(beginning)
        if (id === null) throw tooLargeForStranger()
        avatica.requireOwn(id, caller)
      })
    const isOpen = refusalIn(() => caller.reader(null)) === null
    const read = readBytes(isOpen ? rule : { ...rule, strangers: { limitBytes: strangersBytesMax, refusal } })
    read.call(this, request, reply, done)
  }
}

function tooLargeForStranger(): Problem {
  return new Problem(
    'forbidden',
    `The body has more than ${strangersBytesMax} bytes, decompressed, and its sender is unknown. Send the key in a header, such as the password of Basic authentication.`,
  )
}

function refusalIn(check: () => void): Problem | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function described({ name, mediaType, body }: WireFormat) {
  const content = { [mediaType]: { schema: body } }
  const problem = (description: string) => ({ description, content })
  return {
    tags: ['druid'],
    operationId: name,
    summary: `JDBC, by the protocol of Apache Calcite Avatica, as ${name === 'avatica-json' ? 'JSON' : 'protobuf'}.`,
    description:
      'For drivers: `jdbc:avatica:remote:url=http://host/druid/v2/sql/avatica/` (docs/guides/tools.md). The key is the password of Basic authentication, or of the connection.',
    security: optionalBasicSecurity,
    querystring: anyParameters,
    body: { content },
    response: {
      200: problem('The answer to the request.'),
      400: problem('The body is not an Avatica request.'),
      413: problem('The body is too large.'),
      415: problem('The body has an unsupported type or encoding.'),
      500: problem(
        "Any other error, also missing access, as Avatica's `ErrorResponse`, which drivers read only with this status.",
      ),
      503: problem('Bodies in flight use all their memory, or the service is stopping. Drivers retry.'),
    },
  }
}

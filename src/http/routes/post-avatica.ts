import Type from 'typebox'
import type { AvaticaRequest, AvaticaResponse } from '../../avatica/avatica-protocol.ts'
import { errorAnswer } from '../../avatica/error-answer.ts'
import { decodeJson, encodeJson } from '../../avatica/json/json-codec.ts'
import { decodeProtobuf, encodeProtobuf } from '../../avatica/protobuf/protobuf-codec.ts'
import { Problem } from '../../model/problem.ts'
import { sendBody } from '../answer.ts'
import { readBytes } from '../body.ts'
import { BodyBudget } from '../body-budget.ts'
import { optionalBasicSecurity } from '../document.ts'
import { protobufType } from '../problems.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

interface WireFormat {
  readonly path: string
  readonly name: 'avatica-json' | 'avatica-protobuf'
  readonly mediaType: string
  readonly body: object
  readonly decode: (body: Uint8Array) => AvaticaRequest
  readonly encode: (response: AvaticaResponse) => Uint8Array
}

const AvaticaMessage = Type.Object(
  {},
  { additionalProperties: true, description: 'As the reference of Avatica has it.' },
)
const Bytes = Type.String({ format: 'binary', description: 'A `WireMessage` of Avatica.' })

const wireFormats: readonly WireFormat[] = [
  {
    path: '/druid/v2/sql/avatica',
    name: 'avatica-json',
    mediaType: 'application/json',
    body: AvaticaMessage,
    decode: decodeJson,
    encode: encodeJson,
  },
  {
    path: '/druid/v2/sql/avatica-protobuf',
    name: 'avatica-protobuf',
    mediaType: protobufType,
    body: Bytes,
    decode: decodeProtobuf,
    encode: encodeProtobuf,
  },
]

/** Drivers send their bytes as what they please. */
const mediaTypes = [
  'application/json',
  'application/octet-stream',
  protobufType,
  'application/x-protobuf',
  'text/plain',
]

/** What drivers can read is a 200 or a 500: any other status hides the message from their users. */
const errorStatus = 500

/** JDBC, by Avatica's protocol, in its two wire formats; with and without a slash at the end of the path. */
export const postAvatica: Route = (app, { services, settings, guard, inFlight }) => {
  const { limits, jdbc } = settings
  const preValidation = readBytes({
    limitBytes: limits.queryBodyBytes,
    limitName: 'limits.queryBodyBytes',
    tooLarge: 'query_body_too_large',
    mediaTypes,
    budget: new BodyBudget({
      bytesMax: jdbc.bodiesBytes,
      limitName: 'jdbc.bodiesBytes',
      requests: 'JDBC requests',
    }),
  })
  for (const format of wireFormats) {
    for (const end of ['', '/']) {
      app.route({
        method: 'POST',
        url: format.path + end,
        config: { keySchemes: ['basic'], errorBody: format.name },
        schema: { ...described(format), hide: end === '' },
        validatorCompiler: () => () => true,
        preValidation,
        handler: async (request, reply) => {
          const { body } = request
          if (!(body instanceof Uint8Array)) throw new Error('the body of a request of Avatica is read as bytes')
          const asked = format.decode(body)
          const signal = inFlight.signal(reply)
          const reader = (key: string | null) => guard.readerOn(request, key)
          const answer = await services.avatica.answer(asked, { reader, signal }).catch((error: unknown) => {
            if (!(error instanceof Problem)) throw error
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
      200: problem('What the request was for.'),
      400: problem('The body is no request of Avatica.'),
      413: problem('The body is too large.'),
      415: problem('The body has a type or encoding that is not taken.'),
      500: problem(
        "Any other error, as Avatica's `ErrorResponse`, which drivers read of this status alone: no access too.",
      ),
      503: problem('Bodies in flight take all the room that there is, or the service is stopping. Drivers ask again.'),
    },
  }
}

// Tested by `src/http/druid-queries.test.ts`, `test/acceptance/druid-http.test.ts`.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { sendBody } from '../answer.ts'
import { jsonTypes, readJson } from '../body.ts'
import { readDruidContext } from '../druid-context.ts'
import { druidConfig, druidQueryAnswers, druidSchema, nothingMissing } from '../druid-route.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route, RouteParts } from '../route.ts'
import { commonProblemCodes, releaseAfter } from './rows-query.ts'

const problemCodes = [
  ...commonProblemCodes.filter((code) => code !== 'not_acceptable'),
  'unknown_entity',
  'unsupported_native_query',
  'too_many_buckets',
  'query_canceled',
] as const

const NativeQuery = Type.Object(
  { queryType: Type.String({ examples: ['timeBoundary'] }) },
  { additionalProperties: true, description: 'A native query; its `dataSource` names an entity.' },
)

const content = { 'application/json': { schema: Type.Array(Type.Unknown()) } }

export const postDruidNative: Route = (app, parts) => {
  const bodies = new WeakMap<FastifyRequest, Uint8Array>()
  const { queryBodyBytes } = parts.settings.limits
  for (const url of ['/druid/v2', '/druid/v2/']) {
    app.route({
      method: 'POST',
      url,
      config: druidConfig,
      schema: {
        ...druidSchema,
        hide: url.endsWith('/'),
        operationId: 'druid-native',
        summary: 'A native query, as in Apache Druid.',
        querystring: anyParameters,
        body: NativeQuery,
        response: druidQueryAnswers("The answer in Druid's own shape for the type of query.", content, problemCodes),
      },
      onRequest: parts.guard.consumption,
      preValidation: readJson(
        {
          limitBytes: queryBodyBytes,
          limitName: 'limits.queryBodyBytes',
          tooLarge: 'query_body_too_large',
          mediaTypes: jsonTypes,
        },
        bodies,
      ),
      handler: (request, reply) => answer(bodies.get(request)!, request.body, request, reply, parts),
    })
  }
}

async function answer(
  bytes: Uint8Array,
  body: { readonly queryType: string; readonly context?: unknown },
  request: FastifyRequest,
  reply: FastifyReply,
  { services, settings, guard, inFlight, runningQueries }: RouteParts,
): Promise<FastifyReply> {
  // A context that is refused has an answer too, by whose id it is found in the log.
  reply.header('X-Druid-Query-Id', request.id)
  const { id } = readDruidContext(body.context, ['queryId'])
  const queryId = id ?? request.id
  reply.header('X-Druid-Query-Id', queryId)
  const startedMs = performance.now()
  const reader = guard.reader(request)
  const query = { bytes: asWholeBody(body.queryType, bytes), query: body }
  const found = await runningQueries.run(queryId, reader.id, inFlight.cancellation(reply), (signal) =>
    services.nativeQueries.run(query, signal, reader),
  )
  releaseAfter(reply, found)
  const { rows, bytes: size } = found
  const ms = performance.now() - startedMs
  services.observe({ kind: 'queryAnswered', query: 'druid-native', rows, bytes: size, ms })
  reply.header(...nothingMissing)
  return sendBody(request, reply, 'application/json', found, settings.limits.sendIdleMs)
}

/** The query as the other endpoint for native queries takes it: its bytes are passed on as they came. */
function asWholeBody(queryType: string, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([
    Buffer.from(`{"query_type":${JSON.stringify(queryType)},"query_data":`),
    bytes,
    Buffer.from('}'),
  ])
}

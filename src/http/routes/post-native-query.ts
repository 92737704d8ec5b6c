import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { NativeQueryRequest } from '../../druid-native/request.ts'
import { sendBody } from '../answer.ts'
import { jsonTypes, readJson } from '../body.ts'
import { answeredByHeader, answers, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { commonProblemCodes, releaseAfter } from './rows-query.ts'

/** One endpoint under two names. */
const names = ['druid-native-query', 'analytics-native-query'] as const

const problemCodes = [...commonProblemCodes, 'unknown_entity', 'unsupported_native_query', 'too_many_buckets'] as const

const description = 'The answer, as in Druid.'

const NativeAnswer = Type.Array(Type.Unknown(), {
  description: "The answer in Druid's own shape for the type of query.",
})

export const postNativeQuery: Route = (app, { services, settings, guard, inFlight }) => {
  const { queryBodyBytes, sendIdleMs } = settings.limits
  const bodies = new WeakMap<FastifyRequest, Uint8Array>()
  for (const name of names) {
    app.route({
      method: 'POST',
      url: `/consumer/data/${name}`,
      schema: {
        tags: ['consumption'],
        operationId: name,
        summary: 'A native query of Apache Druid.',
        security: optionalKeySecurity,
        body: NativeQueryRequest,
        response: {
          ...answers(200, description, NativeAnswer, problemCodes),
          200: { description, headers: answeredByHeader, content: { 'application/json': { schema: NativeAnswer } } },
        },
      },
      onRequest: [guard.consumption, acceptJson],
      preValidation: readJson(
        {
          limitBytes: queryBodyBytes,
          limitName: 'limits.queryBodyBytes',
          tooLarge: 'query_body_too_large',
          mediaTypes: jsonTypes,
        },
        bodies,
      ),
      handler: async (request, reply) => {
        const startedMs = performance.now()
        const query = { bytes: bodies.get(request)!, query: request.body.query_data }
        const answer = await services.nativeQueries.run(query, inFlight.cancellation(reply), guard.reader(request))
        releaseAfter(reply, answer)
        const { rows, bytes } = answer
        services.observe({ kind: 'queryAnswered', query: name, rows, bytes, ms: performance.now() - startedMs })
        return sendBody(request, reply, 'application/json', answer, sendIdleMs)
      },
    })
  }
}

import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import { admitPush, PushBody, PushParameters, pushedRows, pushProblems, readPushBody } from '../pushed-rows.ts'
import type { Route } from '../route.ts'
import { schemaCompiler } from '../validation.ts'
import { CheckAnswer } from './push-schemas.ts'

/** A push that stores nothing. */
export const postCheck: Route = (app, parts) => {
  const { services, guard, settings } = parts
  app.route({
    method: 'POST',
    url: '/ingests/:ingest/check',
    schema: {
      tags: ['ingestion'],
      operationId: 'checkRows',
      summary: 'Say what would become of rows, and store nothing.',
      description:
        'The body is that of a push, of at most limits.checkRows rows. The rows are judged as those of a push are, by the fields as they are now; ' +
        'nothing of them is kept. They count for the limits of the key as if they were pushed.',
      security: keySecurity,
      params: PushParameters,
      body: PushBody,
      response: answers(200, 'What the receipt would say.', CheckAnswer, [...pushProblems, 'not_acceptable']),
    },
    validatorCompiler: (route) => (route.httpPart === 'body' ? () => true : schemaCompiler(route)),
    onRequest: [
      (request, _reply, done) => {
        admitPush(services, guard.asker(request), request.params.ingest)
        done()
      },
      acceptJson,
    ],
    preValidation: readPushBody(parts),
    handler: async (request, reply) => {
      const { keyId, ingest } = admitPush(services, guard.asker(request), request.params.ingest)
      const answer = await services.pushCheck.check({ keyId, ingest, ...pushedRows(request) })
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

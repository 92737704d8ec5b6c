// Tested by `src/http/line-requests.test.ts`.

import Type from 'typebox'
import { requireCaller } from '../../access/caller.ts'
import { Problem } from '../../model/problem.ts'
import { sendJson } from '../answer.ts'
import { readBytes } from '../body.ts'
import { lineAnswers, lineConfig, lineSchema } from '../line-route.ts'
import type { Route } from '../route.ts'

/** A statement, not a program. */
const bodyBytesMax = 64 * 1024

/** Writers of InfluxDB 1 make their database before they write. There is nothing to be made: the operator makes ingests. */
export const postInfluxQuery: Route = (app, { guard, settings }) => {
  app.route({
    method: 'POST',
    url: '/query',
    config: lineConfig,
    schema: {
      ...lineSchema,
      operationId: 'createDatabase',
      summary: 'Accept CREATE DATABASE, and do nothing.',
      querystring: Type.Object({ q: Type.Optional(Type.String({ examples: ['CREATE DATABASE plant'] })) }),
      response: lineAnswers(
        {
          200: {
            description: 'An empty result.',
            content: { 'application/json': { schema: Type.Object({ results: Type.Array(Type.Unknown()) }) } },
          },
        },
        [
          'invalid_request',
          'invalid_body',
          'body_too_large',
          'forbidden',
          'unsupported_media_type',
          'overloaded',
          'shutting_down',
        ],
      ),
    },
    onRequest: (request, _reply, done) => {
      requireCaller(guard.asker(request))
      done()
    },
    preValidation: readBytes({
      limitBytes: bodyBytesMax,
      limitName: '64 KiB',
      tooLarge: 'body_too_large',
      mediaTypes: null,
      whenEmpty: ' ',
    }),
    handler: (request, reply) => {
      const form = new URLSearchParams(request.body instanceof Uint8Array ? Buffer.from(request.body).toString() : '')
      const statement = request.query.q ?? form.get('q') ?? ''
      if (!/^\s*create\s+database\s/i.test(statement)) {
        throw new Problem(
          'invalid_request',
          'Only CREATE DATABASE is taken here. Ask at POST /consumer/data/sql-query, in SQL.',
        )
      }
      return sendJson(request, reply, { results: [{ statement_id: 0 }] }, settings.limits.sendIdleMs)
    },
  })
}

import Type from 'typebox'
import { AuditPage } from '../../admin/audit.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'

const filters = {
  who: Type.Optional(Type.String({ description: 'Only changes by this subscriber, or with the key of this id.' })),
  what: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{1,64}$',
      description: 'Only changes of this kind: the `what` of a change.',
      examples: ['changeIngest'],
    }),
  ),
  from: Type.Optional(Type.String({ description: 'Only changes at this date-time or later.' })),
  until: Type.Optional(Type.String({ description: 'Only changes before this date-time.' })),
}

export const getAudit: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/audit',
    schema: {
      tags: ['admin'],
      operationId: 'listChanges',
      summary: "The changes on the operator's side, newest first.",
      description:
        'Needs a key with the right `admin`. Refused requests and dry runs leave no line. No key, no secret and no row is shown. Lines are kept for `audit.keep`.',
      security: keySecurity,
      querystring: pageQuery(filters),
      response: answers(200, 'A page of changes.', AuditPage, [...pageProblems, 'unavailable']),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const { who, what, from, until } = request.query
      const answer = await services.audit.list({ who, what, from, until, ...pageRequest(request.query) })
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

import Type from 'typebox'
import { AuditPage } from '../../admin/audit.ts'
import { answers } from '../document.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'
import { adminRoute } from './json-route.ts'

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

export const getAudit = adminRoute({
  method: 'GET',
  url: '/admin/audit',
  operationId: 'listChanges',
  summary: "The changes on the operator's side, newest first.",
  description:
    'Needs a key with the right `admin`. Refused requests and dry runs leave no line. Keys, secrets and rows are never shown. Lines are kept for `audit.keep`.',
  querystring: pageQuery(filters),
  response: answers(200, 'A page of changes.', AuditPage, [...pageProblems, 'unavailable']),
  answer: ({ query: { who, what, from, until, ...page } }, { services }) =>
    services.audit.list({ who, what, from, until, ...pageRequest(page) }),
})

import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { requireCaller } from '../../access/caller.ts'
import { OwnIngestAnswer, ownIngestAnswer } from '../../admin/ingest-schemas.ts'
import { batchLimits, type RowsOf } from '../../admin/rejected-rows.ts'
import {
  BatchPageAnswer,
  DiscardAnswer,
  DiscardRequest,
  RejectedPageAnswer,
  RejectedSummaryAnswer,
} from '../../admin/rejected-schemas.ts'
import type { Ingest } from '../../model/ingest.ts'
import { answers, bodyMayBeLeftOut, keySecurity } from '../document.ts'
import { existingIngest } from '../existing-ingest.ts'
import { admits } from '../guard.ts'
import { PushParameters } from '../pushed-rows.ts'
import type { RouteParts } from '../route.ts'
import { bodyProblems, pageQuery, pageRequest, readProblems } from './admin-request.ts'
import { jsonRoutes } from './json-route.ts'
import { ReceiptAnswer } from './pushes.ts'
import { pageDescription, RejectedQuery, rejectedRequest } from './rejected.ts'

/**
 * Admits subscribers that push, or have pushed, to an ingest, so that they can see their own rows. As for a push, access is checked before existence, so that
 * names of ingests are not revealed. Throws Problem `forbidden`, `ingest_not_found`.
 */
function ownRows(request: FastifyRequest, { guard, services }: RouteParts): RowsOf & { readonly ingest: Ingest } {
  const { ingest: alias } = request.params as Static<typeof PushParameters>
  const { access, definitions } = services
  const { subscriberId } = access.requireOwnRows(guard.requester(request), alias)
  const ingest = existingIngest(definitions, alias, (other) => access.mayPush(subscriberId, other))
  return { ingest, ingestId: ingest.id, subscriberId }
}

const ownRoute = jsonRoutes({
  tag: 'ingestion',
  security: keySecurity,
  admit: (parts) => admits((request) => ownRows(request, parts)),
})

/** Possible errors of every request for the caller's own rows. */
const ownProblems = [...readProblems, 'ingest_not_found'] as const

export const getOwnIngest = ownRoute({
  method: 'GET',
  url: '/ingests/:ingest',
  operationId: 'ownIngest',
  summary: 'The definition of an ingest, for its senders.',
  description: 'Needs a subscription to the ingest, which may have ended.',
  params: PushParameters,
  response: answers(200, 'The ingest.', OwnIngestAnswer, ownProblems),
  answer: (request, parts) => {
    const { ingest } = ownRows(request, parts)
    const { definitions } = parts.services
    const sinceMs = ingest.kind === 'series' ? (definitions.entity(ingest.entity)?.sinceMs ?? null) : null
    return ownIngestAnswer(ingest, sinceMs)
  },
})

export const getOwnRejected = ownRoute({
  method: 'GET',
  url: '/ingests/:ingest/rejected',
  operationId: 'ownRejected',
  summary: 'Your own rejected rows of an ingest, as they were pushed.',
  params: PushParameters,
  querystring: RejectedQuery,
  response: answers(200, pageDescription, RejectedPageAnswer, [...ownProblems, 'invalid_token']),
  answer: (request, parts) => parts.services.rejectedRows.list(ownRows(request, parts), rejectedRequest(request.query)),
})

export const getOwnSummary = ownRoute({
  method: 'GET',
  url: '/ingests/:ingest/rejected/summary',
  operationId: 'ownRejectedSummary',
  summary: 'Your own rejected rows of an ingest, counted by code and field.',
  params: PushParameters,
  response: answers(200, 'The faults.', RejectedSummaryAnswer, ownProblems),
  answer: (request, parts) => parts.services.rejectedRows.summary(ownRows(request, parts)),
})

export const deleteOwnRejected = ownRoute({
  ...bodyMayBeLeftOut,
  method: 'DELETE',
  url: '/ingests/:ingest/rejected',
  operationId: 'discardOwnRejected',
  summary: 'Discard your own rejected rows for good: some by their ids, or all.',
  description: 'Counters and receipts stay as they are. A request without a body discards all your own rejected rows.',
  params: PushParameters,
  body: DiscardRequest,
  response: answers(200, 'They are discarded.', DiscardAnswer, [...bodyProblems, 'ingest_not_found']),
  audited: { name: ['ingest'] },
  answer: (request, parts) => parts.services.rejectedRows.discard(ownRows(request, parts), request.body),
})

export const getOwnBatches = ownRoute({
  method: 'GET',
  url: '/ingests/:ingest/batches',
  operationId: 'ownBatches',
  summary: 'Your own pushes to an ingest that have, or had, rejected rows.',
  params: PushParameters,
  querystring: pageQuery({}, batchLimits),
  response: answers(200, 'A page of pushes, newest first.', BatchPageAnswer, [...ownProblems, 'invalid_token']),
  answer: (request, parts) => parts.services.rejectedRows.batches(ownRows(request, parts), pageRequest(request.query)),
})

/** For any valid key: callers only see their own pushes. */
const receiptRoute = jsonRoutes({ tag: 'ingestion', security: keySecurity, admit: () => [] })

export const getBatch = receiptRoute({
  method: 'GET',
  url: '/ingests/:ingest/batches/:batch',
  operationId: 'receipt',
  summary: 'The outcome of one push.',
  params: Type.Object({
    ...PushParameters.properties,
    batch: Type.String({ description: 'The `batch` in the answer of the push.' }),
  }),
  response: answers(200, 'The receipt.', ReceiptAnswer, [...readProblems, 'batch_not_found']),
  answer: (request, { services, guard }) => {
    const { params } = request
    const { subscriberId } = requireCaller(guard.requester(request))
    const id = services.definitions.ingest(params.ingest)?.id ?? null
    return services.receipts.receipt(subscriberId, id, params.batch)
  },
})

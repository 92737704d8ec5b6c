import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { requireCaller } from '../../access/caller.ts'
import { OwnIngestAnswer, ownIngestAnswer } from '../../admin/own-ingest.ts'
import { batchLimits, type RowsOf } from '../../admin/rejected-rows.ts'
import {
  BatchPageAnswer,
  DiscardAnswer,
  DiscardRequest,
  RejectedPageAnswer,
  RejectedSummaryAnswer,
} from '../../admin/rejected-schemas.ts'
import type { Ingest } from '../../model/ingest.ts'
import { sendJson } from '../answer.ts'
import { answers, bodyMayBeLeftOut, keySecurity } from '../document.ts'
import { existingIngest } from '../existing-ingest.ts'
import { acceptJson } from '../guard.ts'
import type { Route, RouteParts } from '../route.ts'
import { bodyProblems, pageQuery, pageRequest, readAdminBody } from './admin-request.ts'
import { ReceiptAnswer } from './pushes.ts'
import { pageDescription, rejectedFilters } from './rejected-filters.ts'

const OwnParameters = Type.Object({ ingest: Type.String({ description: 'The alias of the ingest.' }) })

interface OwnRequest extends Pick<FastifyRequest, 'headers' | 'routeOptions' | 'query'> {
  readonly params: { readonly ingest: string }
}

/**
 * Lets subscribers that push to an ingest, or once did, see what they pushed themselves. As for a push, access comes before existence, so that nobody
 * learns which ingests there are. Throws Problem `forbidden`, `ingest_not_found`.
 */
function ownRows({ guard, services }: Pick<RouteParts, 'guard' | 'services'>) {
  const of = (request: OwnRequest): RowsOf & { readonly ingest: Ingest } => {
    const { ingest: alias } = request.params
    const { access, definitions } = services
    const { subscriberId } = access.requireOwnRows(guard.asker(request), alias)
    const ingest = existingIngest(definitions, alias, (other) => access.mayPush(subscriberId, other))
    return { ingest, ingestId: ingest.id, subscriberId }
  }
  const admit = (request: OwnRequest, _reply: unknown, done: () => void): void => {
    of(request)
    done()
  }
  return { of, admit }
}

/** What a request for one's own rows may be refused for, whatever it asks. */
const ownProblems = ['invalid_request', 'forbidden', 'ingest_not_found', 'not_acceptable', 'shutting_down'] as const

export const getOwnIngest: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  const { definitions } = parts.services
  app.route({
    method: 'GET',
    url: '/ingests/:ingest',
    schema: {
      tags: ['ingestion'],
      operationId: 'ownIngest',
      summary: 'The definition of an ingest, for its senders.',
      description: 'Needs a subscription to the ingest, which may have ended.',
      security: keySecurity,
      params: OwnParameters,
      response: answers(200, 'The ingest.', OwnIngestAnswer, ownProblems),
    },
    onRequest: [admit, acceptJson],
    handler: async (request, reply) => {
      const { ingest } = of(request)
      const sinceMs = ingest.kind === 'series' ? (definitions.entity(ingest.entity)?.sinceMs ?? null) : null
      return sendJson(request, reply, ownIngestAnswer(ingest, sinceMs), parts.settings.limits.sendIdleMs)
    },
  })
}

export const getOwnRejected: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  app.route({
    method: 'GET',
    url: '/ingests/:ingest/rejected',
    schema: {
      tags: ['ingestion'],
      operationId: 'ownRejected',
      summary: 'Your own rejected rows of an ingest, as they were pushed.',
      security: keySecurity,
      params: OwnParameters,
      querystring: pageQuery(rejectedFilters),
      response: answers(200, pageDescription, RejectedPageAnswer, [...ownProblems, 'invalid_token']),
    },
    onRequest: [admit, acceptJson],
    handler: async (request, reply) => {
      const { batch, code, field } = request.query
      const filters = { ...pageRequest(request.query), batch, code, field }
      const answer = await parts.services.rejectedRows.list(of(request), filters)
      return sendJson(request, reply, answer, parts.settings.limits.sendIdleMs)
    },
  })
}

export const getOwnSummary: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  app.route({
    method: 'GET',
    url: '/ingests/:ingest/rejected/summary',
    schema: {
      tags: ['ingestion'],
      operationId: 'ownRejectedSummary',
      summary: 'Your own rejected rows of an ingest, counted by code and field.',
      security: keySecurity,
      params: OwnParameters,
      response: answers(200, 'The faults.', RejectedSummaryAnswer, ownProblems),
    },
    onRequest: [admit, acceptJson],
    handler: async (request, reply) => {
      const answer = await parts.services.rejectedRows.summary(of(request))
      return sendJson(request, reply, answer, parts.settings.limits.sendIdleMs)
    },
  })
}

export const deleteOwnRejected: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  app.route({
    method: 'DELETE',
    url: '/ingests/:ingest/rejected',
    schema: {
      ...bodyMayBeLeftOut,
      tags: ['ingestion'],
      operationId: 'discardOwnRejected',
      summary: 'Discard your own rejected rows for good: some by their ids, or all.',
      description:
        'Counters and receipts stay as they are. A request without a body discards all your own rejected rows.',
      security: keySecurity,
      params: OwnParameters,
      body: DiscardRequest,
      response: answers(200, 'They are discarded.', DiscardAnswer, [...bodyProblems, 'ingest_not_found']),
    },
    config: { audited: { name: ['ingest'] } },
    onRequest: [admit, acceptJson],
    preValidation: readAdminBody(parts.settings, { whenEmpty: '{}' }),
    handler: async (request, reply) => {
      // Access is asked for again, for a body may take minutes.
      const answer = await parts.services.rejectedRows.discard(of(request), request.body)
      return sendJson(request, reply, answer, parts.settings.limits.sendIdleMs)
    },
  })
}

export const getOwnBatches: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  app.route({
    method: 'GET',
    url: '/ingests/:ingest/batches',
    schema: {
      tags: ['ingestion'],
      operationId: 'ownBatches',
      summary: 'Your own pushes to an ingest that have, or had, rejected rows.',
      security: keySecurity,
      params: OwnParameters,
      querystring: pageQuery({}, batchLimits),
      response: answers(200, 'A page of pushes, newest first.', BatchPageAnswer, [...ownProblems, 'invalid_token']),
    },
    onRequest: [admit, acceptJson],
    handler: async (request, reply) => {
      const answer = await parts.services.rejectedRows.batches(of(request), pageRequest(request.query))
      return sendJson(request, reply, answer, parts.settings.limits.sendIdleMs)
    },
  })
}

export const getBatch: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/ingests/:ingest/batches/:batch',
    schema: {
      tags: ['ingestion'],
      operationId: 'receipt',
      summary: 'The outcome of one push.',
      security: keySecurity,
      params: Type.Object({
        ingest: Type.String({ description: 'The alias of the ingest.' }),
        batch: Type.String({ description: 'The `batch` in the answer of the push.' }),
      }),
      response: answers(200, 'The receipt.', ReceiptAnswer, [
        'invalid_request',
        'forbidden',
        'batch_not_found',
        'not_acceptable',
        'shutting_down',
      ]),
    },
    onRequest: acceptJson,
    handler: async (request, reply) => {
      const { subscriberId } = requireCaller(guard.asker(request))
      const id = services.definitions.ingest(request.params.ingest)?.id ?? null
      const receipt = await services.receipts.receipt(subscriberId, id, request.params.batch)
      return sendJson(request, reply, receipt, settings.limits.sendIdleMs)
    },
  })
}

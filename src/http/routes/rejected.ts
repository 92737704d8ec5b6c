import Type from 'typebox'
import { batchLimits } from '../../admin/rejected-rows.ts'
import {
  BatchPageAnswer,
  DiscardAnswer,
  DiscardRequest,
  RejectedPageAnswer,
  RejectedSummaryAnswer,
} from '../../admin/rejected-schemas.ts'
import { PreviewAnswer, ReplayAnswer, ReplayRequest } from '../../admin/replay-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, bodyMayBeLeftOut, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, pageProblems, pageQuery, pageRequest, readAdminBody } from './admin-request.ts'
import { pageDescription, rejectedFilters } from './rejected-filters.ts'

export const getRejected: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests/:alias/rejected',
    schema: {
      tags: ['admin'],
      operationId: 'listRejected',
      summary: 'The rejected rows of an ingest, as they were pushed.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      querystring: pageQuery(rejectedFilters),
      response: answers(200, pageDescription, RejectedPageAnswer, [...pageProblems, 'ingest_not_found']),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const { batch, code, field } = request.query
      const filters = { ...pageRequest(request.query), batch, code, field }
      const answer = await services.rejectedAdmin.list(request.params.alias, filters)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getRejectedSummary: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests/:alias/rejected/summary',
    schema: {
      tags: ['admin'],
      operationId: 'rejectedSummary',
      summary: 'The rejected rows of an ingest, counted by code and field.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      response: answers(200, 'The faults.', RejectedSummaryAnswer, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
        'ingest_not_found',
      ]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.rejectedAdmin.summary(request.params.alias)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const deleteRejected: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/ingests/:alias/rejected',
    schema: {
      ...bodyMayBeLeftOut,
      tags: ['admin'],
      operationId: 'discardRejected',
      summary: 'Discard rejected rows for good: some by their ids, or all.',
      description:
        'Counters and receipts stay as they are. A request without a body discards all rejected rows of the ingest.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      body: DiscardRequest,
      response: answers(200, 'They are discarded.', DiscardAnswer, [...bodyProblems, 'ingest_not_found']),
    },
    config: { audited: { name: ['alias'] } },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings, { whenEmpty: '{}' }),
    handler: async (request, reply) => {
      const answer = await services.rejectedAdmin.discard(request.params.alias, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const postReplay: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'POST',
    url: '/admin/ingests/:alias/rejected/replay',
    schema: {
      ...bodyMayBeLeftOut,
      tags: ['admin'],
      operationId: 'replayRejected',
      summary: 'Validate rejected rows again: some by their ids, or all, changed or for another ingest.',
      description:
        'Rows that are valid by the current fields are stored and leave the list. They keep the order of their first push; rows that go `into` another ingest count as pushed now. The others stay, with their new reason; rows that were changed, or sent to another ingest, keep their old reason. A request without a body replays all rejected rows of the ingest. It is safe to repeat.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      body: ReplayRequest,
      response: answers(200, 'The replay is over.', ReplayAnswer, [
        ...bodyProblems,
        'ingest_not_found',
        'overloaded',
        'unavailable',
      ]),
    },
    config: { audited: { name: ['alias'] } },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings, { whenEmpty: '{}' }),
    handler: async (request, reply) => {
      const signal = inFlight.signal(reply)
      const answer = await services.rejectedAdmin.replay(request.params.alias, request.body, signal)
      await services.audit.tell(answer)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const postReplayPreview: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/admin/ingests/:alias/rejected/replay/preview',
    schema: {
      ...bodyMayBeLeftOut,
      tags: ['admin'],
      operationId: 'previewReplay',
      summary: 'Show the outcome of a replay for the first rows, and change nothing.',
      description:
        'The body is that of the replay. Its first rows, at most limits.checkRows and one mebibyte, are changed and validated.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      body: ReplayRequest,
      response: answers(200, 'The outcome.', PreviewAnswer, [...bodyProblems, 'ingest_not_found']),
    },
    config: { audited: false },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings, { whenEmpty: '{}' }),
    handler: async (request, reply) => {
      const answer = await services.rejectedAdmin.previewReplay(request.params.alias, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getBatches: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests/:alias/batches',
    schema: {
      tags: ['admin'],
      operationId: 'listBatches',
      summary: 'The pushes to an ingest that have, or had, rejected rows.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      querystring: pageQuery({}, batchLimits),
      response: answers(200, 'A page of pushes, newest first.', BatchPageAnswer, [...pageProblems, 'ingest_not_found']),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.rejectedAdmin.batches(request.params.alias, pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

import Type from 'typebox'
import { ChangeIngest, CreateIngest, IngestAnswer, IngestPage } from '../../admin/ingest-schemas.ts'
import { ingestState } from '../../admin/ingests.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import {
  bodyProblems,
  noBodyProblems,
  pageProblems,
  pageQuery,
  pageRequest,
  readAdminBody,
  refuseBody,
} from './admin-request.ts'

export const postIngest: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/admin/ingests',
    schema: {
      tags: ['admin'],
      operationId: 'createIngest',
      summary: 'Create an ingest.',
      security: keySecurity,
      body: CreateIngest,
      response: answers(201, 'The new ingest.', IngestAnswer, [...bodyProblems, 'conflict']),
    },
    config: { audited: { name: ['alias'], state: ingestState } },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.ingestAdmin.create(request.body)
      reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getIngests: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests',
    schema: {
      tags: ['admin'],
      operationId: 'listIngests',
      summary: 'All ingests, by alias.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of ingests.', IngestPage, [...pageProblems]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.ingestAdmin.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getIngest: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests/:alias',
    schema: {
      tags: ['admin'],
      operationId: 'showIngest',
      summary: 'One ingest.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      response: answers(200, 'The ingest.', IngestAnswer, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
        'ingest_not_found',
      ]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.ingestAdmin.show(request.params.alias)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const patchIngest: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'PATCH',
    url: '/admin/ingests/:alias',
    schema: {
      tags: ['admin'],
      operationId: 'changeIngest',
      summary: 'Block or activate an ingest, or add fields to it.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      body: ChangeIngest,
      response: answers(200, 'The ingest as it is now.', IngestAnswer, [...bodyProblems, 'ingest_not_found']),
    },
    config: { audited: { name: ['alias'], state: ingestState } },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.ingestAdmin.change(request.params.alias, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const deleteIngest: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/ingests/:alias',
    schema: {
      tags: ['admin'],
      operationId: 'deleteIngest',
      summary: 'Delete an ingest, and optionally its data.',
      description:
        'The ingest is deleted at once, without a confirmation, and its alias is free again. Its rejected rows are always deleted: `rejected/summary` counts them. With `keep`, the entity and its rows stay: they can be queried, and a new ingest may feed the entity. With `drop`, the entity is deleted too, with all its data. Only a backup can bring deleted data back.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      querystring: Type.Object(
        {
          data: Type.Optional(
            Type.Enum(['keep', 'drop'], {
              description: 'Whether the entity stays; `keep` by default.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      response: answers(204, 'It is deleted.', null, [...noBodyProblems, 'ingest_not_found', 'conflict']),
    },
    config: {
      audited: { name: ['alias'], state: ingestState, gone: (query) => (query['data'] === 'drop' ? query : null) },
    },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.ingestAdmin.delete(request.params.alias, request.query.data ?? 'keep')
      return reply.code(204).send()
    },
  })
}

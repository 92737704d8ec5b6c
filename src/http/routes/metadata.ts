import Type from 'typebox'
import {
  DescriptionsAnswer,
  DescriptionsRequest,
  ItemPageAnswer,
  ItemsAnswer,
  ItemsByIdRequest,
} from '../../metadata/schemas.ts'
import { itemOperatorMeanings } from '../../model/item-operator.ts'
import { usualLimits } from '../../model/page.ts'
import { queryOf } from '../../model/query-parameters.ts'
import { sendBody, sendJson } from '../answer.ts'
import { answers, keySecurity, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { schemaCompiler } from '../validation.ts'
import { bodyProblems, noBodyProblems, readAdminBody, refuseBody } from './admin-request.ts'

export const postMetadataDescriptions: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/consumer/metadata',
    schema: {
      tags: ['consumption'],
      operationId: 'metadata',
      summary: 'The metadata entities, with their fields.',
      security: optionalKeySecurity,
      body: DescriptionsRequest,
      response: answers(
        200,
        'The descriptions in the order of the request, each once. For `[]`, all that the caller may read, by name.',
        DescriptionsAnswer,
        [...bodyProblems, 'unknown_entity', 'unavailable'],
      ),
    },
    onRequest: [guard.consumption, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const descriptions = await services.metadata.describe(request.body, guard.readable(request))
      return sendJson(request, reply, descriptions, settings.limits.sendIdleMs)
    },
  })
}

/** Only described: filters are named after the table's index field, so the query string is read once the table is known. */
const Query = Type.Object({
  limit: Type.Optional(
    Type.String({
      description: `The most items: 1 to ${usualLimits.itemsMax}, by default ${usualLimits.items}.`,
      examples: ['100'],
    }),
  ),
  NextToken: Type.Optional(Type.String({ description: 'The `NextToken` of the page before.' })),
})

const operators = Object.entries(itemOperatorMeanings)
  .map(([name, meaning]) => `\`${name}\` (${meaning})`)
  .join(', ')

export const getMetadataItems: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'GET',
    url: '/consumer/metadata/:table',
    schema: {
      tags: ['consumption'],
      operationId: 'metadataItems',
      summary: 'The items of a metadata entity, by identifier.',
      description:
        `Only the index field filters items: \`<index_field>=value\`, or \`<index_field>[op]=value\`, where \`op\` is one of ${operators}. ` +
        'The two values of `be` may also be two parameters. An item must match all filters.',
      security: optionalKeySecurity,
      params: Type.Object({ table: Type.String({ description: 'The alias of the metadata ingest.' }) }),
      querystring: Query,
      response: answers(200, 'A page of items.', ItemPageAnswer, [
        'invalid_request',
        'invalid_token',
        'forbidden',
        'table_not_found',
        'not_acceptable',
        'unavailable',
        'shutting_down',
      ]),
    },
    validatorCompiler: (route) => (route.httpPart === 'querystring' ? () => true : schemaCompiler(route)),
    onRequest: [guard.consumption, acceptJson],
    handler: async (request, reply) => {
      const query = queryOf(request.raw.url ?? '')
      const signal = inFlight.signal(reply)
      const answer = await services.metadata.list(request.params.table, query, guard.readable(request), signal)
      return sendBody(request, reply, 'application/json', answer, settings.limits.sendIdleMs)
    },
  })
}

export const postMetadataItems: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'POST',
    url: '/consumer/metadata/:table',
    schema: {
      tags: ['consumption'],
      operationId: 'metadataItemsById',
      summary: 'Items of a metadata entity by their identifiers.',
      security: optionalKeySecurity,
      params: Type.Object({ table: Type.String({ description: 'The alias of the metadata ingest.' }) }),
      body: ItemsByIdRequest,
      response: answers(200, 'The items that exist, in the order of the request.', ItemsAnswer, [
        ...bodyProblems,
        'table_not_found',
        'unavailable',
      ]),
    },
    onRequest: [
      guard.consumption,
      acceptJson,
      (request, _reply, done) => {
        services.metadata.requireTable(request.params.table, guard.readable(request))
        done()
      },
    ],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const signal = inFlight.signal(reply)
      const { table } = request.params
      const answer = await services.metadata.find(table, request.body, guard.readable(request), signal)
      return sendBody(request, reply, 'application/json', answer, settings.limits.sendIdleMs)
    },
  })
}

export const deleteMetadataItem: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/metadata/:table/items/:id',
    schema: {
      tags: ['admin'],
      operationId: 'deleteMetadataItem',
      summary: 'Delete an item of a metadata entity; pushing it again brings it back.',
      security: keySecurity,
      params: Type.Object({
        table: Type.String({ description: 'The alias of the metadata ingest.' }),
        id: Type.String({ description: 'The identifier of the item.' }),
      }),
      response: answers(204, 'Readers no longer see the item.', null, [
        ...noBodyProblems,
        'table_not_found',
        'not_found',
        'unavailable',
      ]),
    },
    config: { audited: { name: ['table', 'id'] } },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.itemAdmin.delete(request.params.table, request.params.id)
      return reply.code(204).send()
    },
  })
}

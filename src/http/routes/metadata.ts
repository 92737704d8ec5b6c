import Type from 'typebox'
import {
  DescriptionsAnswer,
  DescriptionsRequest,
  ItemPageAnswer,
  ItemsAnswer,
  ItemsByIdRequest,
} from '../../metadata/schemas.ts'
import { itemOperatorMeanings } from '../../model/item-operator.ts'
import { queryOf } from '../../model/query-parameters.ts'
import { sendBody } from '../answer.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { schemaCompiler } from '../validation.ts'
import { bodyProblems, noBodyProblems, PageQuery, readAdminBody } from './admin-request.ts'
import { adminRoute, consumptionRoute } from './json-route.ts'

export const postMetadataDescriptions = consumptionRoute({
  method: 'POST',
  url: '/consumer/metadata',
  operationId: 'metadata',
  summary: 'The metadata entities, with their fields.',
  body: DescriptionsRequest,
  response: answers(
    200,
    'The descriptions in the order of the request, each once. For `[]`, all that the caller may read, by name.',
    DescriptionsAnswer,
    [...bodyProblems, 'unknown_entity', 'unavailable'],
  ),
  answer: (request, { services, guard }) => services.metadata.describe(request.body, guard.readable(request)),
})

const TableParameters = Type.Object({ table: Type.String({ description: 'The alias of the metadata ingest.' }) })

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
      params: TableParameters,
      /** Only documentation: filters are named after the table's index field, so the query string is parsed when the table is known. */
      querystring: PageQuery,
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
      params: TableParameters,
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

export const deleteMetadataItem = adminRoute({
  method: 'DELETE',
  url: '/admin/metadata/:table/items/:id',
  operationId: 'deleteMetadataItem',
  summary: 'Delete an item of a metadata entity; pushing it again brings it back.',
  params: Type.Object({
    ...TableParameters.properties,
    id: Type.String({ description: 'The identifier of the item.' }),
  }),
  response: answers(204, 'Readers no longer see the item.', null, [
    ...noBodyProblems,
    'table_not_found',
    'not_found',
    'unavailable',
  ]),
  audited: { name: ['table', 'id'] },
  answer: ({ params }, { services }) => services.itemAdmin.delete(params.table, params.id),
})

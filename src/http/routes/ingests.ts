import Type from 'typebox'
import { ChangeIngest, CreateIngest, IngestAnswer, IngestPage } from '../../admin/ingest-schemas.ts'
import { ingestState } from '../../admin/ingests.ts'
import { answers } from '../document.ts'
import {
  AliasParameters,
  bodyProblems,
  noBodyProblems,
  pageProblems,
  pageQuery,
  pageRequest,
  readProblems,
} from './admin-request.ts'
import { adminRoute, observeRoute } from './json-route.ts'

export const postIngest = adminRoute({
  method: 'POST',
  url: '/admin/ingests',
  operationId: 'createIngest',
  summary: 'Create an ingest.',
  body: CreateIngest,
  response: answers(201, 'The new ingest.', IngestAnswer, [...bodyProblems, 'conflict']),
  audited: { name: ['alias'], state: ingestState },
  answer: ({ body }, { services }) => services.ingestAdmin.create(body),
})

export const getIngests = observeRoute({
  method: 'GET',
  url: '/admin/ingests',
  operationId: 'listIngests',
  summary: 'All ingests, by alias.',
  description: 'Needs a key with the right `observe` or `admin`.',
  querystring: pageQuery({}),
  response: answers(200, 'A page of ingests.', IngestPage, pageProblems),
  answer: ({ query }, { services }) => services.ingestAdmin.list(pageRequest(query)),
})

export const getIngest = observeRoute({
  method: 'GET',
  url: '/admin/ingests/:alias',
  operationId: 'showIngest',
  summary: 'One ingest.',
  description: 'Needs a key with the right `observe` or `admin`.',
  params: AliasParameters,
  response: answers(200, 'The ingest.', IngestAnswer, [...readProblems, 'ingest_not_found']),
  answer: ({ params }, { services }) => services.ingestAdmin.show(params.alias),
})

export const patchIngest = adminRoute({
  method: 'PATCH',
  url: '/admin/ingests/:alias',
  operationId: 'changeIngest',
  summary: 'Block or activate an ingest, or add fields to it.',
  params: AliasParameters,
  body: ChangeIngest,
  response: answers(200, 'The ingest as it is now.', IngestAnswer, [...bodyProblems, 'ingest_not_found']),
  audited: { name: ['alias'], state: ingestState },
  answer: ({ params, body }, { services }) => services.ingestAdmin.change(params.alias, body),
})

export const deleteIngest = adminRoute({
  method: 'DELETE',
  url: '/admin/ingests/:alias',
  operationId: 'deleteIngest',
  summary: 'Delete an ingest, and optionally its data.',
  description:
    'The ingest is deleted at once, without a confirmation, and its alias is free again. Its rejected rows are always deleted: `rejected/summary` counts them. With `keep`, the entity and its rows stay: they can be queried, and a new ingest may feed the entity. With `drop`, the entity is deleted too, with all its data. Only a backup can bring deleted data back.',
  params: AliasParameters,
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
  audited: { name: ['alias'], state: ingestState, gone: (query) => (query['data'] === 'drop' ? query : null) },
  answer: ({ params, query }, { services }) => services.ingestAdmin.delete(params.alias, query.data ?? 'keep'),
})

// i3X 1.0: discovery, reading and writing values. Tested by `test/acceptance/i3x.test.ts`.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { bulk, type I3xAnswer, whole } from '../../i3x/answers.ts'
import type { I3xCaller } from '../../i3x/caller.ts'
import type { Update } from '../../i3x/writes.ts'
import { parseWithLongs } from '../../lib/json-with-longs.ts'
import { packageVersion } from '../../lib/own-package.ts'
import { parseInstant } from '../../model/instant.ts'
import { invalidRequest } from '../../model/problem.ts'
import { acceptJson } from '../guard.ts'
import {
  bulkOf,
  i3xCaller,
  i3xConfig,
  i3xPath,
  i3xSchema,
  type Posting,
  postI3x,
  sendI3x,
  wholeOf,
  withBody,
  withoutBody,
} from '../i3x-route.ts'
import { admitPush, pushProblems } from '../pushed-rows.ts'
import type { Route, RouteParts } from '../route.ts'
import { refuseBody } from './admin-request.ts'

const orNull = <Value>(type: string, rest: object = {}) =>
  Type.Optional(Type.Unsafe<Value | null>({ type: [type, 'null'], ...rest }))

export const elementIds = Type.Array(Type.String(), { examples: [['tag:plant:boiler.temp']] })
export const maxDepth = orNull<number>('integer', {
  minimum: 0,
  description: '1, the default: the object alone. 0 or more than 1: its components too.',
})
const includeMetadata = orNull<boolean>('boolean')

const Namespace = Type.Object({ uri: Type.String(), displayName: Type.String() })
const typed = { elementId: Type.String(), displayName: Type.String(), namespaceUri: Type.String() }
const schema = Type.Object({}, { additionalProperties: true, description: 'A JSON schema.' })
const ObjectType = Type.Object(
  { ...typed, sourceTypeId: Type.String(), version: Type.String(), schema },
  { title: 'I3xObjectType' },
)
const RelationshipType = Type.Object(
  { ...typed, relationshipId: Type.String(), reverseOf: Type.String() },
  { title: 'I3xRelationshipType' },
)
const Instance = Type.Object(
  {
    ...{ elementId: Type.String(), displayName: Type.String(), typeElementId: Type.String() },
    parentId: Type.Union([Type.String(), Type.Null()]),
    ...{ isComposition: Type.Boolean(), isExtended: Type.Boolean() },
    metadata: Type.Optional(Type.Object({ typeNamespaceUri: Type.String(), sourceTypeId: Type.String() })),
  },
  { title: 'I3xObject' },
)
const Related = Type.Array(Type.Object({ sourceRelationship: Type.String(), object: Instance }))
export const vqt = {
  value: Type.Unknown({ description: 'As in the schema of the type of the object; null if there is none.' }),
  quality: Type.String({ enum: ['Good', 'GoodNoData', 'Bad', 'Uncertain'] }),
  timestamp: Type.String(),
}
const Vqt = Type.Object(vqt, { title: 'I3xVqt' })
const Value = Type.Object({
  isComposition: Type.Boolean(),
  ...vqt,
  components: Type.Optional(Type.Record(Type.String(), Vqt)),
})
const History = Type.Object({
  isComposition: Type.Boolean(),
  values: Type.Array(Vqt, { description: 'The oldest first.' }),
  components: Type.Optional(Type.Record(Type.String(), Type.Object({ values: Type.Array(Vqt) }))),
})

const ByIds = Type.Object({ elementIds })
const ListRequest = Type.Object({ elementIds, includeMetadata })
const RelatedRequest = Type.Object({ elementIds, relationshipType: orNull<string>('string'), includeMetadata })
const ValueRequest = Type.Object({ elementIds, maxDepth })
const HistoryRequest = Type.Object({
  elementIds: Type.Optional(elementIds),
  startTime: Type.String({ examples: ['2026-01-01T00:00:00Z'] }),
  endTime: Type.String({ examples: ['2026-01-02T00:00:00Z'] }),
  maxDepth,
})
const WriteRequest = Type.Object({
  updates: Type.Array(
    Type.Object({
      elementId: Type.String(),
      value: Type.Object({
        value: Type.Optional(Type.Unknown({ description: 'The whole value, as the type of the object has it.' })),
        quality: orNull<string>('string', { description: '`Good`, the default, `Uncertain` or `Bad`.' }),
        timestamp: orNull<string>('string', { description: 'Default: now. In the history it is required.' }),
      }),
    }),
  ),
})

const flag = Type.Optional(Type.Enum(['true', 'false']))
const ofNamespace = Type.Object({ namespaceUri: Type.Optional(Type.String()) }, { additionalProperties: false })
const ObjectsQuery = Type.Object(
  { typeElementId: Type.Optional(Type.String()), includeMetadata: flag, root: flag },
  { additionalProperties: false },
)

interface Getting<Query extends TSchema> {
  readonly id: string
  readonly summary: string
  readonly querystring?: Query
  readonly result: TSchema
  readonly answer: (query: Static<Query>, caller: I3xCaller) => I3xAnswer | Promise<I3xAnswer>
}

export const i3xRoutes: Route = (app, parts) => {
  const { i3x } = parts.services
  const get = <Query extends TSchema>(path: string, { id, summary, querystring, result, answer }: Getting<Query>) =>
    app.route({
      method: 'GET',
      url: i3xPath + path,
      config: i3xConfig,
      schema: { ...i3xSchema(id, summary, { result }), ...(querystring === undefined ? {} : { querystring }) },
      ...withoutBody(parts),
      handler: async (request, reply) =>
        // The schema has validated the query.
        sendI3x(request, reply, await answer(request.query as Static<Query>, i3xCaller(request, reply, parts)), parts),
    })
  const post = <Body extends TSchema>(path: string, posting: Posting<Body>) => postI3x(app, parts, path, posting)

  getInfo(app, parts)
  get('/namespaces', {
    ...{ id: 'i3xNamespaces', summary: 'The namespaces of types.', result: wholeOf(Type.Array(Namespace)) },
    answer: () => whole(i3x.namespaces()),
  })
  get('/objecttypes', {
    ...{ id: 'i3xObjectTypes', summary: 'The types of objects, with their JSON schemas.' },
    ...{ querystring: ofNamespace, result: wholeOf(Type.Array(ObjectType)) },
    answer: ({ namespaceUri = null }, caller) => whole(i3x.objectTypes(namespaceUri, caller)),
  })
  post('/objecttypes/query', {
    ...{ id: 'i3xObjectTypesById', summary: 'Some types of objects.', body: ByIds, result: bulkOf(ObjectType) },
    answer: async ({ elementIds: ids }, caller) => bulk(i3x.objectTypesOf(ids, caller), 'elementId'),
  })
  get('/relationshiptypes', {
    ...{ id: 'i3xRelationshipTypes', summary: 'How objects may relate.' },
    ...{ querystring: ofNamespace, result: wholeOf(Type.Array(RelationshipType)) },
    answer: ({ namespaceUri = null }) => whole(i3x.relationshipTypes(namespaceUri)),
  })
  post('/relationshiptypes/query', {
    ...{ id: 'i3xRelationshipTypesById', summary: 'Some types of relationships.', body: ByIds },
    result: bulkOf(RelationshipType),
    answer: async ({ elementIds: ids }) => bulk(i3x.relationshipTypesOf(ids), 'elementId'),
  })
  get('/objects', {
    ...{ id: 'i3xObjects', summary: 'The objects: all, those of a type, or those without a parent.' },
    ...{ querystring: ObjectsQuery, result: wholeOf(Type.Array(Instance)) },
    answer: async ({ typeElementId = null, includeMetadata: metadata, root }, caller) =>
      whole(await i3x.objects({ typeElementId, isRoot: root === 'true', withMetadata: metadata === 'true' }, caller)),
  })
  post('/objects/list', {
    ...{ id: 'i3xObjectsById', summary: 'Some objects.', body: ListRequest, result: bulkOf(Instance) },
    answer: async ({ elementIds: ids, includeMetadata: metadata }, caller) =>
      bulk(await i3x.objectsOf(ids, metadata === true, caller), 'elementId'),
  })
  post('/objects/related', {
    ...{
      id: 'i3xRelated',
      summary: 'The objects that objects relate to.',
      body: RelatedRequest,
      result: bulkOf(Related),
    },
    answer: async ({ elementIds: ids, relationshipType, includeMetadata: metadata }, caller) => {
      const asked = { relationshipType: relationshipType ?? null, withMetadata: metadata === true }
      return bulk(await i3x.related(ids, asked, caller), 'elementId')
    },
  })
  post('/objects/value', {
    ...{
      id: 'i3xValues',
      summary: 'The values of objects, as they are now.',
      body: ValueRequest,
      result: bulkOf(Value),
    },
    answer: async ({ elementIds: ids, maxDepth: depth }, caller) =>
      bulk(await i3x.values(ids, depth ?? 1, caller), 'elementId'),
  })
  post('/objects/history', {
    ...{ id: 'i3xHistory', summary: 'The values of objects in a range of time.' },
    ...{ body: HistoryRequest, result: bulkOf(History) },
    answer: async ({ elementIds: ids = [], maxDepth: depth, ...range }, caller) =>
      bulk(await i3x.history(ids, rangeOf(range), depth ?? 1, caller), 'elementId'),
  })
  write(app, parts, 'value')
  write(app, parts, 'history')
}

/** Public: clients first read here whether the service is available and what it supports. */
const getInfo: Route = (app, parts) => {
  const { settings } = parts
  const result = Type.Object({
    ...{ specVersion: Type.String(), serverVersion: Type.String(), serverName: Type.String() },
    capabilities: Type.Object({
      query: Type.Object({ history: Type.Boolean() }),
      update: Type.Object({ current: Type.Boolean(), history: Type.Boolean() }),
      subscribe: Type.Object({ stream: Type.Boolean() }),
    }),
  })
  app.route({
    method: 'GET',
    url: `${i3xPath}/info`,
    config: i3xConfig,
    schema: { ...i3xSchema('i3xInfo', 'What the service can do.', { result: wholeOf(result) }), security: [{}] },
    onRequest: acceptJson,
    preValidation: refuseBody(settings),
    handler: (request, reply) => {
      const capabilities = {
        query: { history: true },
        update: { current: true, history: true },
        subscribe: { stream: true },
      }
      const info = { specVersion: '1.0', serverVersion: packageVersion, serverName: 'Tidemark', capabilities }
      return sendI3x(request, reply, whole({ result: info, partial: null }), parts)
    },
  })
}

function write(app: Parameters<Route>[0], parts: RouteParts, what: 'value' | 'history'): void {
  const bodies = new WeakMap<FastifyRequest, Uint8Array>()
  const isHistory = what === 'history'
  const summary = isHistory ? 'Write values of the past.' : 'Write values.'
  const codes = pushProblems.filter((code) => code !== 'body_too_large')
  app.route({
    method: 'PUT',
    url: `${i3xPath}/objects/${what}`,
    config: i3xConfig,
    schema: {
      ...i3xSchema(isHistory ? 'i3xWriteHistory' : 'i3xWrite', summary, {
        ...{ body: WriteRequest, result: bulkOf(Type.Null()), codes },
      }),
      description:
        'Each value is pushed as a row of an ingest of its entity, or as an item of its table: the key needs the right `ingest` and a subscription to that ingest.',
    },
    ...withBody(parts, bodies),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { services, guard } = parts
      // The shape is validated already; this parser keeps all digits of numbers.
      const { updates } = parseWithLongs(Buffer.from(bodies.get(request)!).toString()) as { updates: readonly Update[] }
      const requester = guard.requester(request)
      const admit = (alias: string) => admitPush(services, requester, alias)
      const written = await services.i3x.write(updates, { isHistory, admit }, i3xCaller(request, reply, parts))
      return sendI3x(request, reply, bulk(written, 'elementId'), parts)
    },
  })
}

/** Throws Problem `invalid_request`. */
function rangeOf({ startTime, endTime }: { readonly startTime: string; readonly endTime: string }) {
  const [startMs, endMs] = [timeOf('startTime', startTime), timeOf('endTime', endTime)]
  if (startMs > endMs) throw invalidRequest('endTime', 'must not be before startTime')
  return { startMs, endMs }
}

function timeOf(path: string, text: string): number {
  const ms = parseInstant(text)
  if (ms === null) throw invalidRequest(path, 'must be a time such as 2026-01-01T00:00:00Z')
  return ms
}

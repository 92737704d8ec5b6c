// Tested by `src/http/druid-queries.test.ts`, `test/acceptance/druid-http.test.ts`.
import Type from 'typebox'
import { druidQuery } from '../druid-route.ts'

const NativeQuery = Type.Object(
  { queryType: Type.String({ examples: ['timeBoundary'] }) },
  { additionalProperties: true, description: 'A native query; its `dataSource` names an entity.' },
)

export const postDruidNative = druidQuery({
  url: '/druid/v2',
  operationId: 'druid-native',
  summary: 'A native query, as in Apache Druid.',
  body: NativeQuery,
  description: "The answer in Druid's own shape for the type of query.",
  content: { 'application/json': { schema: Type.Array(Type.Unknown()) } },
  problemCodes: ['unknown_entity', 'unsupported_native_query', 'too_many_buckets'],
  ids: { 'X-Druid-Query-Id': 'queryId' },
  read: (query: { readonly queryType: string; readonly context?: unknown }, bytes, { nativeQueries }) => ({
    context: query.context,
    mediaType: 'application/json',
    run: (_context, signal, reader) =>
      nativeQueries.run({ bytes: asWholeBody(query.queryType, bytes), query }, signal, reader),
  }),
})

/** Wraps the query in the body of the other native query endpoint, with its bytes unchanged. */
function asWholeBody(queryType: string, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([
    Buffer.from(`{"query_type":${JSON.stringify(queryType)},"query_data":`),
    bytes,
    Buffer.from('}'),
  ])
}

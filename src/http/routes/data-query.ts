import { type QueryKind, queryRequests } from '../../query/requests.ts'
import type { Route } from '../route.ts'
import { rowsQuery } from './rows-query.ts'

/** The endpoint of one of the eight data queries. */
export function dataQuery<Kind extends QueryKind>(
  kind: Kind,
  text: { readonly summary: string; readonly rows: string },
): Route {
  return rowsQuery({
    name: kind,
    ...text,
    body: queryRequests[kind],
    problemCodes: ['unknown_entity', 'too_many_buckets'],
    run: ({ queries }, body, format, signal, mayRead) => queries.run(kind, body, format, signal, mayRead),
  })
}

import { SqlTooLarge } from '../../lib/sql-text.ts'
import { invalidRequest } from '../../model/problem.ts'
import type { NativeEngine, NativeLimits } from './native-engine.ts'
import { relationOf } from './run/data-source.ts'
import { runGroupBy } from './run/group-by.ts'
import { type JsonValue, jsonText } from './run/json-text.ts'
import { runScan } from './run/scan.ts'
import { runSearch } from './run/search.ts'
import { runSegmentMetadata } from './run/segment-metadata.ts'
import { asProblem, Session } from './run/session.ts'
import { runDataSourceMetadata, runTimeBoundary } from './run/time-boundary.ts'
import { runTimeseries } from './run/timeseries.ts'
import { runTopN } from './run/top-n.ts'
import type { NativeQuery } from './tree/queries.ts'

/**
 * The answer to a native query as JSON, in Druid's shape. Throws Problems: `invalid_request` and `unsupported_native_query` with the path of
 * the fault, `unknown_entity`, `result_too_large` and `too_many_buckets`.
 */
export async function runNative(query: NativeQuery, engine: NativeEngine, limits: NativeLimits): Promise<string> {
  try {
    return jsonText(await run(query, new Session(engine, limits)))
  } catch (error) {
    if (error instanceof SqlTooLarge)
      throw invalidRequest('', 'the query is too large: use fewer and shorter expressions')
    throw asProblem(error)
  }
}

async function run(query: NativeQuery, session: Session): Promise<JsonValue> {
  const relation = await relationOf(query.dataSource, session)
  switch (query.kind) {
    case 'timeseries':
      return runTimeseries(query, relation, session)
    case 'topN':
      return runTopN(query, relation, session)
    case 'groupBy':
      return runGroupBy(query, relation, session)
    case 'scan':
      return runScan(query, relation, session)
    case 'search':
      return runSearch(query, relation, session)
    case 'timeBoundary':
      return runTimeBoundary(query, relation, session)
    case 'segmentMetadata':
      return runSegmentMetadata(query, relation, session)
    case 'dataSourceMetadata':
      return runDataSourceMetadata(query, relation, session)
  }
}

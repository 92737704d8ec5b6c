import { SqlTooLarge } from '../../lib/sql-text.ts'
import { invalidRequest } from '../../model/problem.ts'
import type { NativeQuery } from '../parse/native-query-types.ts'
import { relationOf } from './data-source.ts'
import { runGroupBy } from './group-by.ts'
import { jsonList } from './json-text.ts'
import type { NativeEngine, NativeLimits } from './native-engine.ts'
import { runScan } from './run-scan.ts'
import { runSearch } from './search.ts'
import { runSegmentMetadata } from './segment-metadata.ts'
import { refusalProblem, Session } from './session.ts'
import { runDataSourceMetadata, runTimeBoundary } from './time-boundary.ts'
import { runTimeseries } from './timeseries.ts'
import { runTopN } from './top-n.ts'

/**
 * The result of a native query as JSON in Druid's format, in pieces. Throws Problems: `invalid_request` and `unsupported_native_query` with
 * the path of the error, `unknown_entity`, `result_too_large` and `too_many_buckets`; and errors of the engine.
 */
export async function* runNative(
  query: NativeQuery,
  engine: NativeEngine,
  limits: NativeLimits,
): AsyncGenerator<string> {
  try {
    yield* await run(query, new Session(engine, limits))
  } catch (error) {
    if (error instanceof SqlTooLarge)
      throw invalidRequest('', 'the query is too large: use fewer and shorter expressions')
    throw refusalProblem(error)
  }
}

async function run(query: NativeQuery, session: Session): Promise<AsyncIterable<string>> {
  const relation = await relationOf(query.dataSource, session)
  switch (query.kind) {
    case 'timeseries':
      return jsonList(runTimeseries(query, relation, session))
    case 'topN':
      return jsonList(runTopN(query, relation, session))
    case 'groupBy':
      return jsonList(runGroupBy(query, relation, session))
    case 'scan':
      return runScan(query, relation, session)
    case 'search':
      return jsonList(runSearch(query, relation, session))
    case 'timeBoundary':
      return jsonList(runTimeBoundary(query, relation, session))
    case 'segmentMetadata':
      return jsonList(runSegmentMetadata(query, relation, session))
    case 'dataSourceMetadata':
      return jsonList(runDataSourceMetadata(query, relation, session))
  }
}

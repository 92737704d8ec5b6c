// An internal error after which the SQL engine refuses all queries: the query that caused it gets a 400, and the next caller is served.
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { testProgram } from '../support/compiled.ts'
import { runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const planted = pathToFileURL(testProgram('crash/invalidated-by-query'))

test.skipIf(onCluster)(
  'callers after an internal error of the engine are answered, in SQL and native queries',
  async () => {
    const reported: string[] = []
    const service = await runService(
      {},
      {
        sqlEntryUrl: planted,
        observe: (event) => {
          if (event.kind === 'sqlEngineRefused' || event.kind === 'sqlEngineDied') reported.push(event.message)
        },
      },
    )
    try {
      const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
      await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body: [{ D: 0, T: 'a', V: 1 }] })
      // Expressions, so that the engine runs the query.
      const sql = (text: string) =>
        call(service.url, 'POST', '/consumer/data/sql-query', { key: adminKey, body: { sql_query: text } })
      const native = (tag: string) => {
        const filter = { type: 'selector', dimension: 'T', value: tag }
        const query = {
          queryType: 'timeseries',
          dataSource: 'plant',
          intervals: '1970/1971',
          granularity: 'all',
          filter,
        }
        const virtualColumns = [{ type: 'expression', name: 'one', expression: '1', outputType: 'LONG' }]
        const query_data = { ...query, virtualColumns, aggregations: [{ type: 'count', name: 'n' }] }
        return call(service.url, 'POST', '/consumer/data/druid-native-query', {
          key: adminKey,
          body: { query_type: 'timeseries', query_data },
        })
      }
      const counted = { status: 200, body: [{ n: 1 }] }
      const refused = { status: 400, body: { code: 'invalid_request' } }
      expect(await sql("SELECT COUNT(*) AS n FROM plant WHERE UPPER(T) = 'guilty'")).toMatchObject(refused)
      expect(
        await Promise.all([sql('SELECT COUNT(SQRT(V)) AS n FROM plant'), sql('SELECT SUM(SQRT(V)) AS n FROM plant')]),
      ).toEqual([counted, counted])
      expect(await native('guilty')).toMatchObject({ status: 400, body: { code: 'unsupported_native_query' } })
      expect(await native('a')).toMatchObject({ status: 200, body: [{ result: { n: 1 } }] })
      expect(reported.filter((message) => message.startsWith('INTERNAL Error')).length).toBe(2)
      expect(reported.filter((message) => message.includes('ended with')).length).toBeGreaterThan(0)
    } finally {
      await service.close()
    }
  },
  120_000,
)

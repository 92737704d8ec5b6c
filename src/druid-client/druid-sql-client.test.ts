import { expect, test } from 'vitest'
import { sql } from '../lib/sql-text.ts'
import { valueAt } from '../model/column.ts'
import { readFailure } from './druid-failure.ts'
import { DruidSqlClient } from './druid-sql-client.ts'

/** A client whose Druid refuses one query per message and then returns `[[7]]`. */
function clientThatRefuses(...messages: readonly string[]) {
  const contexts: unknown[] = []
  const left = [...messages]
  const client = {
    async *query(_language: string, query: object) {
      contexts.push(Reflect.get(query, 'context'))
      const message = left.shift()
      if (message !== undefined)
        throw readFailure(400, JSON.stringify({ errorMessage: message, category: 'UNSUPPORTED' }))
      yield Buffer.from('[7]\n\n')
    },
  }
  const settings = { clusterName: 'c', queryTimeMs: 1000 }
  const druid = new DruidSqlClient({ client, settings, nowMs: () => 0 })
  const run = async (needsWholeGroups = false) => {
    const statement = { statement: sql`SELECT 7`, types: ['long' as const], needsWholeGroups }
    const batches = []
    for await (const { rows } of druid.run(statement, { resultRows: 10 } as never, new AbortController().signal))
      batches.push(rows)
    return batches
  }
  return { run, contexts }
}

const noTexts = 'Aggregation [MIN] does not support type [STRING], column [v0]'

test('distinct counts are retried without grouping sets when Druid cannot aggregate strings with them', async () => {
  const { run, contexts } = clientThatRefuses(noTexts)
  expect(await run()).toEqual([1])
  const exact = { useApproximateCountDistinct: false, useApproximateTopN: false, extendedFilteredSumRewrite: false }
  expect(contexts).toEqual([
    { ...exact, useGroupingSetForExactDistinct: true },
    { ...exact, useGroupingSetForExactDistinct: false },
  ])
})

test('limits are not pushed down when groups must be complete first', async () => {
  const { run, contexts } = clientThatRefuses()
  await run(true)
  await run()
  expect(contexts).toMatchObject([{ applyLimitPushDown: false }, {}])
  expect(contexts[1]).not.toHaveProperty('applyLimitPushDown')
})

test.each([
  ['another refusal', ['Cannot cast'], 1],
  ['a refusal of the retry too', [noTexts, noTexts], 2],
])('%s is reported', async (_, messages, asked) => {
  const { run, contexts } = clientThatRefuses(...messages)
  await expect(run()).rejects.toMatchObject({ code: 'invalid_request' })
  expect(contexts).toHaveLength(asked)
})

test.each([
  ['2026-01-02T03:04:05.678Z', Date.UTC(2026, 0, 2, 3, 4, 5, 678)],
  ['0000-01-01T00:00:00.000Z', Date.parse('0000-01-01T00:00:00.000Z')],
  ['-0001-12-31T00:00:00.000Z', Date.parse('-000001-12-31T00:00:00.000Z')],
  ['10000-01-01T00:00:00.000Z', Date.UTC(10_000, 0, 1)],
  ['275760-09-13T00:00:00.000Z', 8.64e15],
  ['275761-01-01T00:00:00.000Z', null],
  ['146140482-04-24T15:36:27.903Z', null],
])('reads the time %s, as null if it is beyond the last date of JavaScript', async (written, ms) => {
  const client = {
    async *query() {
      yield Buffer.from(`[${JSON.stringify(written)}]\n\n`)
    },
  }
  const druid = new DruidSqlClient({ client, settings: { clusterName: 'c', queryTimeMs: 1000 }, nowMs: () => 0 })
  const statement = { statement: sql`SELECT 7`, types: ['timestamp' as const] }
  const values: unknown[] = []
  for await (const { columns } of druid.run(statement, { resultRows: 10 } as never, new AbortController().signal))
    values.push(valueAt(columns[0]!, 0))
  expect(values).toEqual([ms])
})

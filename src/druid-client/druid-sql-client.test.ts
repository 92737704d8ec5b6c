import { expect, test } from 'vitest'
import { sql } from '../lib/sql-text.ts'
import { readFailure } from './druid-failure.ts'
import { DruidSqlClient } from './druid-sql-client.ts'

/** A client whose Druid refuses as often as there are messages, and then answers `[[7]]`. */
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
  const run = async () => {
    const statement = { statement: sql`SELECT 7`, types: ['long' as const] }
    const batches = []
    for await (const { rows } of druid.run(statement, { resultRows: 10 } as never, new AbortController().signal))
      batches.push(rows)
    return batches
  }
  return { run, contexts }
}

const noTexts = 'Aggregation [MIN] does not support type [STRING], column [v0]'

test('different values beside the newest text are counted in the other way', async () => {
  const { run, contexts } = clientThatRefuses(noTexts)
  expect(await run()).toEqual([1])
  const exact = { useApproximateCountDistinct: false, useApproximateTopN: false, extendedFilteredSumRewrite: false }
  expect(contexts).toEqual([
    { ...exact, useGroupingSetForExactDistinct: true },
    { ...exact, useGroupingSetForExactDistinct: false },
  ])
})

test.each([
  ['another refusal', ['Cannot cast'], 1],
  ['a refusal of the other way too', [noTexts, noTexts], 2],
])('%s is told', async (_, messages, asked) => {
  const { run, contexts } = clientThatRefuses(...messages)
  await expect(run()).rejects.toMatchObject({ code: 'invalid_request' })
  expect(contexts).toHaveLength(asked)
})

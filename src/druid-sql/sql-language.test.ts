// Limits on a query before it reaches the engine.
import { describe, expect, test } from 'vitest'
import { Admission } from '../admission/admission.ts'
import { Queries } from '../admission/queries.ts'
import type { Reader } from '../admission/reader.ts'
import type { Timer } from '../lib/timer.ts'
import type { EntityFilesParts } from '../sql-engine/entity-table.ts'
import { DamagedRows, LongOverflow } from '../sql-engine/sql-engine.ts'
import { SqlLanguage, type SqlRunner } from './sql-language.ts'

const reader: Reader = { id: 'somebody', mayRead: () => true }
const limits = { queryTimeMs: 500, sqlTokens: 100, resultRows: 1, resultBytes: 1, buckets: 1 }

function asked(
  text: string,
  timer: Timer,
  run: SqlRunner['run'] = () => new Promise(() => undefined),
  damaged: EntityFilesParts['damaged'] = () => undefined,
): Promise<unknown> {
  const language = new SqlLanguage({
    definitions: { entities: () => [], metadataEntities: () => [] },
    metadata: {
      items: { inOneState: () => Promise.reject(new Error('nothing is read')) },
      limits: { metadataRows: 1, metadataBytes: 1 },
    },
    rows: {
      store: { run: () => Promise.reject(new Error('nothing is planned')) },
      snapshots: { snapshot: () => Promise.reject(new Error('nothing is read')) },
      damaged,
    },
    sqlEngine: { run },
    nowMs: () => 0,
    limits,
  })
  const admission = new Admission({ runningQueries: 1, runningSqlQueries: 1, waitingQueries: 1 })
  const queries = new Queries(language, { admission, limits, timer })
  return queries.run({ text, format: 'json' }, new AbortController().signal, reader)
}

test('a query with too many tokens is refused with the name of the limit', async () => {
  const never: Timer = () => () => undefined
  const list = (count: number): string => Array.from({ length: count }, (_, index) => index).join(', ')
  await expect(asked(`SELECT 1 IN (${list(50)}) AS x`, never)).rejects.toThrow(
    'the query has more than 100 words and symbols (limits.sqlTokens): split it',
  )
})

test('the time to parse a query counts towards its time limit', async () => {
  const begun: number[] = []
  const timer: Timer = (_over, ms) => {
    begun.push(ms)
    return () => undefined
  }
  await expect(asked('no query', timer)).rejects.toMatchObject({ code: 'invalid_request' })
  expect(begun).toEqual([500])
  const atOnce: Timer = (over) => {
    queueMicrotask(over)
    return () => undefined
  }
  await expect(asked('SELECT 1 AS x', atOnce)).rejects.toMatchObject({ code: 'query_timeout' })
})

describe('a query that overflows a long', () => {
  const never: Timer = () => () => undefined
  const failing =
    (...errors: Error[]): SqlRunner['run'] =>
    async () =>
      Promise.reject(errors.shift())

  test('is run again, and a second overflow is reported', async () => {
    const run = failing(new LongOverflow(), new LongOverflow())
    await expect(asked('SELECT 1 AS x', never, run)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'sql_query: a number or a time is beyond its range',
    })
  })

  test('reports a damaged file that is found only by the second run', async () => {
    const told: string[] = []
    const run = failing(new LongOverflow(), new DamagedRows('a.parquet', 'gone'))
    const refused = asked('SELECT 1 AS x', never, run, ({ path }) => told.push(path))
    await expect(refused).rejects.toMatchObject({ code: 'damaged_data' })
    expect(told).toEqual(['a.parquet'])
  })
})

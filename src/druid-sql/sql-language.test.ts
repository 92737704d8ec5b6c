// What a query may cost before the engine has it.
import { expect, test } from 'vitest'
import { Admission } from '../admission/admission.ts'
import { Queries } from '../admission/queries.ts'
import type { Reader } from '../admission/reader.ts'
import type { Timer } from '../lib/timer.ts'
import { SqlLanguage } from './sql-language.ts'

const reader: Reader = { id: 'somebody', mayRead: () => true }
const limits = { queryTimeMs: 500, sqlTokens: 100, resultRows: 1, resultBytes: 1, buckets: 1 }

function asked(text: string, timer: Timer): Promise<unknown> {
  const language = new SqlLanguage({
    definitions: { entities: () => [], metadataEntities: () => [] },
    metadata: {
      items: { inOneState: () => Promise.reject(new Error('nothing is read')) },
      limits: { metadataRows: 1, metadataBytes: 1 },
    },
    rows: {
      store: { run: () => Promise.reject(new Error('nothing is planned')) },
      snapshots: { snapshot: () => Promise.reject(new Error('nothing is read')) },
      damaged: () => undefined,
    },
    sqlEngine: { run: () => new Promise(() => undefined) },
    nowMs: () => 0,
    limits,
  })
  const admission = new Admission({ runningQueries: 1, runningSqlQueries: 1, waitingQueries: 1 })
  const queries = new Queries(language, { admission, limits, timer })
  return queries.run({ text, format: 'json' }, new AbortController().signal, reader)
}

test('a text of too many words and symbols is refused by the name of its bound', async () => {
  const never: Timer = () => () => undefined
  const list = (count: number): string => Array.from({ length: count }, (_, index) => index).join(', ')
  await expect(asked(`SELECT 1 IN (${list(50)}) AS x`, never)).rejects.toThrow(
    'the query has more than 100 words and symbols (limits.sqlTokens): split it',
  )
})

test('the time in which a text is read is the time of the query', async () => {
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

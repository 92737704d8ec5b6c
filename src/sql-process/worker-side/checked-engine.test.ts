import { describe, expect, test } from 'vitest'
import { Problem } from '../../model/problem.ts'
import type { EngineQuery, SqlEngine, TimeBounds } from '../../sql-engine/sql-engine.ts'
import { CheckedEngine } from './checked-engine.ts'
import { FileChecks } from './file-checks.ts'

const never = new AbortController().signal
const day = 86_400_000
const file = (name: string, from: number) => ({
  path: name,
  checkedBy: `${name}.index`,
  firstMs: from * day,
  lastMs: (from + 1) * day - 1,
})
const query = {
  text: '',
  types: [],
  tables: [{ files: [file('first', 0), file('second', 1)] }],
} as unknown as EngineQuery

/** The checked files, and the files that the engine then reads, in order. */
async function ran(
  timesOf: () => Promise<TimeBounds | null>,
  { damaged = '', signal = never }: { readonly damaged?: string; readonly signal?: AbortSignal } = {},
) {
  const seen: string[] = []
  const engine = {
    timesOf,
    run: async function* (read: EngineQuery) {
      seen.push(`read ${read.tables.flatMap(({ files }) => files.map(({ path }) => path)).join(' ')}`)
      yield { columns: [], rows: 0 }
    },
  } as unknown as SqlEngine
  const checks = new FileChecks(
    async (path) => {
      if (path === damaged) throw new Error(`${path} is damaged`)
    },
    (path) => seen.push(`whole ${path}`),
  )
  for await (const _batch of new CheckedEngine(engine, checks).run(query, { resultRows: 1 }, signal))
    seen.push('answered')
  return seen
}

test('only files within the time range of a query are checked and read', async () => {
  expect(await ran(async () => ({ fromMs: day, untilMs: 2 * day }))).toEqual([
    'whole second',
    'read second',
    'answered',
  ])
})

describe('when the query cannot be planned', () => {
  const refused = async () => {
    throw new Problem('invalid_request', 'a value cannot be converted to the requested type')
  }

  test('all files are checked, since a damaged one may be the cause', async () => {
    expect(await ran(refused)).toEqual(['whole first', 'whole second', 'read first second', 'answered'])
    await expect(ran(refused, { damaged: 'second' })).rejects.toThrow('second is damaged')
  })

  test('an aborted query fails with the reason of its abort', async () => {
    await expect(ran(refused, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone')
  })
})

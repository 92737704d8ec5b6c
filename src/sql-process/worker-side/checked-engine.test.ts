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

interface RunOptions {
  readonly damaged?: string
  readonly signal?: AbortSignal
  readonly seen?: string[]
}

/** The checked files, and the files that the engine then reads, in order. They are also added to `seen`, which shows them if the query fails. */
async function ran(
  timesOf: () => Promise<TimeBounds | null>,
  { damaged = '', signal = never, seen = [] }: RunOptions = {},
) {
  const engine = {
    timesOf,
    run: async function* (read: EngineQuery) {
      seen.push(`read ${read.tables.flatMap(({ files }) => files.map(({ path }) => path)).join(' ')}`)
      yield { columns: [], rows: 0 }
    },
  } as unknown as SqlEngine
  const checks = new FileChecks(
    async (path) => {
      seen.push(`check ${path}`)
      if (path === damaged) throw new Error(`${path} is damaged`)
    },
    () => undefined,
  )
  for await (const _batch of new CheckedEngine(engine, checks).run(query, { resultRows: 1 }, signal))
    seen.push('answered')
  return seen
}

test('only files within the time range of a query are checked and read', async () => {
  expect(await ran(async () => ({ fromMs: day, untilMs: 2 * day }))).toEqual([
    'check second',
    'read second',
    'answered',
  ])
})

describe('when the query cannot be planned', () => {
  const refused = async () => {
    throw new Problem('invalid_request', 'a value cannot be converted to the requested type')
  }

  test('all files are checked, since a damaged one may be the cause', async () => {
    expect(await ran(refused)).toEqual(['check first', 'check second', 'read first second', 'answered'])
    const seen: string[] = []
    await expect(ran(refused, { damaged: 'second', seen })).rejects.toThrow('second is damaged')
    expect(seen).toEqual(['check first', 'check second'])
  })

  test('no file is checked for an aborted query, which fails with the reason of its abort', async () => {
    const seen: string[] = []
    await expect(ran(refused, { signal: AbortSignal.abort(new Error('gone')), seen })).rejects.toThrow('gone')
    expect(seen).toEqual([])
  })
})

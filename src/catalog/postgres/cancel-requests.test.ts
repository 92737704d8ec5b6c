// Processes that send requests to each other, over a database made of arrays; `test/cluster/postgres-processes.test.ts` uses PostgreSQL.
import { expect, test } from 'vitest'
import type { NamedQuery } from '../cluster-catalog.ts'
import { CancelRequests } from './cancel-requests.ts'

const query: NamedQuery = { id: 'q', readerId: 'subscriber 1' }

interface Process {
  readonly pid: number
  readonly cancels: CancelRequests
  /** Sends its pending messages to all processes. */
  flush(): Promise<void>
}

/** Starts `count` processes; those in `runs` run the query. */
async function processes(count: number, runs: readonly number[]) {
  const present = new Set<number>()
  const all: Process[] = []
  const connection = (pid: number) => async (text: string, values?: unknown[]) => {
    if (text.includes('pg_backend_pid() as pid')) return { rows: [{ pid }] }
    if (text.startsWith('listen')) present.add(pid)
    if (text.includes('pg_stat_activity'))
      return { rows: [...present].filter((other) => other !== pid).map((other) => ({ pid: other })) }
    for (const payload of (values?.[1] ?? []) as readonly string[]) say(pid, payload)
    return { rows: [] }
  }
  const say = (processId: number, payload: string): void => {
    for (const { cancels } of all) cancels.onNotification({ processId, payload, channel: 'c' })
  }
  for (let pid = 1; pid <= count; pid++) {
    const cancels = new CancelRequests('c', () => undefined)
    cancels.listen(({ id, readerId }) => runs.includes(pid) && id === query.id && readerId === query.readerId)
    const database = { query: connection(pid) }
    all.push({ pid, cancels, flush: () => cancels.flush(database) })
    await cancels.begin(database)
  }
  return { all, present, say }
}

/** The result, or the code of the error; null while it is unknown. */
function outcomeOf(asked: Promise<boolean>) {
  const outcome: { value: unknown } = { value: null }
  asked.then(
    (value) => Object.assign(outcome, { value }),
    (error) => Object.assign(outcome, { value: error.code }),
  )
  return async () => {
    await new Promise(setImmediate)
    return outcome.value
  }
}

test('a process that ran the query confirms the cancel, and the others are not waited for', async () => {
  const { all } = await processes(3, [2])
  const outcome = outcomeOf(all[0]!.cancels.cancel(query))
  await all[0]!.flush()
  expect(await outcome()).toBeNull()
  await all[1]!.flush()
  expect(await outcome()).toBe(true)
})

test.each<[string, NamedQuery]>([
  ['no process runs', { ...query, id: 'r' }],
  ['only another reader runs', { ...query, readerId: 'subscriber 2' }],
])('a query that %s is reported as not found after all processes have answered', async (_, asked) => {
  const { all } = await processes(3, [1, 2, 3])
  const outcome = outcomeOf(all[0]!.cancels.cancel(asked))
  await all[0]!.flush()
  await all[1]!.flush()
  expect(await outcome()).toBeNull()
  await all[2]!.flush()
  expect(await outcome()).toBe(false)
})

test('a process without others reports a query as not found, even one it runs itself', async () => {
  const { all } = await processes(1, [1])
  const outcome = outcomeOf(all[0]!.cancels.cancel(query))
  await all[0]!.flush()
  expect(await outcome()).toBe(false)
})

test('a process that has disconnected is not waited for', async () => {
  const { all, present } = await processes(3, [])
  const outcome = outcomeOf(all[0]!.cancels.cancel(query))
  await all[0]!.flush()
  await all[1]!.flush()
  present.delete(3)
  expect(await outcome()).toBeNull()
  await all[0]!.flush()
  expect(await outcome()).toBe(false)
})

test('a cancel without the database is refused as unavailable', async () => {
  const { all } = await processes(2, [2])
  const { cancels } = all[0]!
  const outcome = outcomeOf(cancels.cancel(query))
  cancels.end()
  expect(await outcome()).toBe('unavailable')
  expect(await outcomeOf(cancels.cancel(query))()).toBe('unavailable')
})

test('at most 64 cancels wait at a time: the next one is refused as overloaded', async () => {
  const { all } = await processes(2, [2])
  const outcomes = Array.from({ length: 65 }, () => outcomeOf(all[0]!.cancels.cancel(query)))
  expect(await outcomes[64]!()).toBe('overloaded')
  await all[0]!.flush()
  await all[1]!.flush()
  for (const outcome of outcomes.slice(0, 64)) expect(await outcome()).toBe(true)
})

test('malformed messages are ignored', async () => {
  const { all, say } = await processes(2, [2])
  for (const text of ['', 'x', 'null', '[]', '{"kind":"ask","ask":1}', '{"kind":"answer","ask":"x","wasRunning":true}'])
    say(9, text)
  const outcome = outcomeOf(all[0]!.cancels.cancel(query))
  await all[0]!.flush()
  await all[1]!.flush()
  expect(await outcome()).toBe(true)
})

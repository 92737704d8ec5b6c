import { beforeEach, expect, test } from 'vitest'
import { readFailure } from '../../../druid-client/druid-failure.ts'
import { Management } from '../supervision/management.ts'
import { type BatchTask, BatchTasks } from './batch-tasks.ts'

const task = (): BatchTask => ({ type: 'index_parallel', spec: {}, context: {} })
const { signal } = new AbortController()

/** Druid: the states of tasks, the outcomes of the next tasks, the ids of accepted tasks, and the next load statuses. */
let states: Map<string, string>
let outcomes: string[]
let taken: string[]
let loads: unknown[]

beforeEach(() => {
  states = new Map()
  outcomes = []
  taken = []
  loads = []
})

/** A task runs until its status is requested for the second time. */
function newTasks(): BatchTasks {
  const manage = async (method: string, path: string, body: unknown): Promise<unknown> => {
    if (path.includes('/loadstatus?')) return loads.shift()
    if (method === 'POST') {
      const { id } = body as { readonly id: string }
      if (states.has(id)) throw readFailure(400, '{"error": "already exists"}')
      states.set(id, 'RUNNING')
      taken.push(id)
      return { task: id }
    }
    const id = path.split('/').at(-2)!
    const statusCode = states.get(id)
    if (statusCode === undefined) throw readFailure(404, 'none')
    if (statusCode === 'RUNNING') states.set(id, outcomes.shift() ?? 'SUCCESS')
    return { task: id, status: { statusCode, errorMsg: statusCode === 'FAILED' ? 'no disk' : null } }
  }
  return new BatchTasks({ management: new Management({ manage }, 'plant'), pollEveryMs: 0 })
}

test('a task requested by several processes runs once, and each of them waits for its end', async () => {
  outcomes = ['RUNNING', 'RUNNING', 'RUNNING']
  await Promise.all([newTasks(), newTasks(), newTasks()].map((tasks) => tasks.once('t', task, signal)))
  expect([taken, states.get('t_1')]).toEqual([['t_1'], 'SUCCESS'])
  await newTasks().once('t', task, signal)
  expect(taken).toEqual(['t_1'])
})

test('a failed task is reported, and the next call retries it under the next name', async () => {
  outcomes = ['FAILED']
  await expect(newTasks().once('t', task, signal)).rejects.toThrow('task t_1 failed: no disk')
  await newTasks().once('t', task, signal)
  await newTasks().once('t', task, signal)
  expect(taken).toEqual(['t_1', 't_2'])
})

test('a task that failed 100 times is not retried', async () => {
  for (let attempt = 1; attempt <= 100; attempt++) states.set(`t_${attempt}`, 'FAILED')
  await expect(newTasks().once('t', task, signal)).rejects.toThrow('failed 100 times')
  expect(taken).toEqual([])
})

test.each([[[null]], [[{ h: 100 }]], [[{ h: 40 }, { h: 100 }]]])(
  'served() resolves after the load statuses %j',
  async (answers) => {
    loads = [...answers]
    await newTasks().served('h', 0, 1, signal)
    expect(loads).toEqual([])
  },
)

import { describe, expect, test } from 'vitest'
import { everyone } from '../../test/support/everyone.ts'
import { noItems, plainAnswer } from '../../test/support/in-process.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { Timer } from '../lib/timer.ts'
import type { Entity } from '../model/entity.ts'
import type { Plan } from '../model/plan.ts'
import { Problem } from '../model/problem.ts'
import { EntityList } from '../query/entity-list.ts'
import { dataLanguage } from '../query/plan-query.ts'
import type { PlanRunner } from '../query/plan-runner.ts'
import { Admission, type AdmissionLimits } from './admission.ts'
import { type Engine, Queries, type QueryLimits } from './queries.ts'

function entityOf(id: number, name: string): Entity {
  return {
    id,
    name,
    fields: [
      { name: 'D', type: 'timestamp', role: 'time' },
      { name: 'T', type: 'string', role: 'tag' },
      { name: 'V', type: 'double', role: 'metric' },
    ],
    duplicates: 'keep',
    ingests: [name, `${name}.more`],
    retention: null,
    sinceMs: null,
  }
}

const reading = { timeZone: 'Europe/Madrid', shapes: { V: 'step' }, maxGaps: { V: 'PT1H' } } as const
const entities = [entityOf(1, 'plant'), { ...entityOf(2, 'secret'), reading }]
const definitions = {
  entity: (name: string) => entities.find((entity) => entity.name === name),
  entities: () => entities,
  metadataEntity: () => undefined,
}
const answer = plainAnswer('[]', 0)
const noLimits: QueryLimits & AdmissionLimits = {
  resultRows: 100,
  buckets: 100,
  resultBytes: 1000,
  runningQueries: 10,
  runningSqlQueries: 10,
  waitingQueries: 10,
  queryTimeMs: 60_000,
}

const never = new AbortController().signal

interface Run {
  readonly plan: Plan
  readonly signal: CancelSignal
  readonly finish: (answer: Answer) => void
  readonly fail: (error: unknown) => void
}

/** Queries on a runner that responds when the test decides, and on a clock that the test sets. */
function world(limits: Partial<typeof noLimits> = {}, mayCount: Promise<void> = Promise.resolve()) {
  const runs: Run[] = []
  const counted: AbortSignal[] = []
  const timers = new Set<() => void>()
  const runner: PlanRunner = {
    run: ({ plan }, _limits, signal) => new Promise((finish, fail) => runs.push({ plan, signal, finish, fail })),
    tags: async () => ({ tags: [], more: false }),
    statistics: async (entityId, _sinceMs, signal) => {
      counted.push(signal)
      await mayCount
      signal.throwIfAborted()
      return entityId === 1 ? { rows: 3, firstMs: 0, lastMs: 1500 } : { rows: 0, firstMs: null, lastMs: null }
    },
  }
  const all = { ...noLimits, ...limits }
  const timer: Timer = (callback) => {
    timers.add(callback)
    return () => timers.delete(callback)
  }
  const places = { admission: new Admission(all), limits: all, timer }
  const nowMs = () => Date.UTC(2026, 0, 1)
  const queries = new Queries(dataLanguage({ definitions, items: noItems, runner, nowMs, limits: all }), places)
  const entityList = new EntityList({ ...places, definitions, runner })
  const letTimePass = () => {
    for (const callback of timers) callback()
  }
  const latest = (signal = never, entity = 'plant') =>
    queries.run({ kind: 'latest', request: { entity }, format: 'json' }, signal, everyone)
  return { queries, entityList, runs, counted, timers, letTimePass, latest }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing was refused')
}

test('a request becomes a plan, and the runner returns its answer', async () => {
  const { runs, timers, latest } = world()
  const answered = latest()
  await settled()
  expect(runs[0]?.plan).toMatchObject({ kind: 'latest', selection: { entityId: 1 } })
  runs[0]?.finish(answer)
  expect(await answered).toBe(answer)
  expect(timers.size).toBe(0)
})

describe('several engines', () => {
  const engine = (name: Engine['name'], found: Answer | null, asked: unknown[]): Engine => ({
    name,
    answer: async () => {
      asked.push(name)
      return found
    },
  })
  const run = (engines: readonly Engine[]) => {
    const language = { advice: '', timeoutMs: () => 0, read: () => ({ kind: 'sql' as const, engines }) }
    return new Queries(language, { admission: new Admission(noLimits), limits: noLimits }).run(null, never, everyone)
  }

  test('the first one that accepts the query answers, and the answer names it', async () => {
    const asked: unknown[] = []
    const one = await run([engine('store', answer, asked), engine('sql-engine', answer, asked)])
    expect([one.answeredBy, asked]).toEqual(['store', ['store']])
    const other = await run([engine('store', null, asked), engine('sql-engine', answer, asked)])
    expect([other.answeredBy, asked]).toEqual(['sql-engine', ['store', 'store', 'sql-engine']])
    expect((await run([engine(null, answer, asked)])).answeredBy).toBeUndefined()
  })

  test('no other one is tried after a failure', async () => {
    const asked: unknown[] = []
    const failing: Engine = { name: 'store', answer: () => Promise.reject(new Error('broken')) }
    await expect(run([failing, engine('sql-engine', answer, asked)])).rejects.toThrow('broken')
    expect(asked).toEqual([])
  })
})

describe('the entity', () => {
  test('that is unknown is refused with the names that the caller may read', async () => {
    const { queries } = world()
    const mayRead = (name: string) => name !== 'secret'
    const problem = await problemOf(
      queries.run({ kind: 'select', request: { entity: 'plants' }, format: 'json' }, never, { id: 'a', mayRead }),
    )
    expect(problem.body()).toMatchObject({
      status: 400,
      code: 'unknown_entity',
      detail: 'There is no entity "plants". "plant" may be meant. There are: "plant".',
      errors: [{ path: 'entity' }],
    })
  })

  test.each(['secret', 'unknown'])(
    '%s is forbidden to a caller without access, whether or not it exists',
    async (entity) => {
      const { queries } = world()
      const problem = await problemOf(
        queries.run({ kind: 'select', request: { entity }, format: 'json' }, never, { id: 'a', mayRead: () => false }),
      )
      expect(problem).toMatchObject({ status: 403, code: 'forbidden' })
    },
  )
})

describe('the time limit', () => {
  test('ends a running query and aborts its runner', async () => {
    const { runs, letTimePass, latest } = world()
    const refused = problemOf(latest())
    await settled()
    letTimePass()
    const problem = await refused
    expect(problem).toMatchObject({ code: 'query_timeout', status: 503, retryable: false })
    expect(problem.message).toContain('60000 ms, which is limits.queryTimeMs')
    expect(runs[0]?.signal.aborted).toBe(true)
  })

  test('includes the time in the queue', async () => {
    const { runs, letTimePass, latest } = world({ runningQueries: 1 })
    const refused = [problemOf(latest()), problemOf(latest())]
    await settled()
    letTimePass()
    expect((await Promise.all(refused)).map(({ code }) => code)).toEqual(['query_timeout', 'query_timeout'])
    expect(runs).toHaveLength(1)
  })
})

describe('a caller that disconnects', () => {
  test('cancels its query', async () => {
    const { runs, timers, latest } = world()
    const controller = new AbortController()
    const refused = expect(latest(controller.signal)).rejects.toThrow('disconnected')
    await settled()
    controller.abort(new Error('disconnected'))
    await refused
    expect(runs[0]?.signal.aborted).toBe(true)
    expect(timers.size).toBe(0)
  })

  test('before the start, starts no query', async () => {
    const { runs, latest } = world()
    await expect(latest(AbortSignal.abort(new Error('disconnected')))).rejects.toThrow('disconnected')
    expect(runs).toHaveLength(0)
  })
})

test('a query that timed out keeps its place until its runner has ended', async () => {
  const { runs, letTimePass, latest } = world({ runningQueries: 1, waitingQueries: 1 })
  const refused = problemOf(latest())
  await settled()
  letTimePass()
  await refused
  const second = latest()
  await settled()
  expect(runs).toHaveLength(1)
  runs[0]?.fail(new Error('ended'))
  await settled()
  expect(runs).toHaveLength(2)
  runs[1]?.finish(answer)
  expect(await second).toBe(answer)
})

test('a failed query frees its place too', async () => {
  const { runs, latest } = world({ runningQueries: 1, runningSqlQueries: 1, waitingQueries: 0 })
  const failed = expect(latest()).rejects.toThrow('broken')
  await settled()
  runs[0]?.fail(new Error('broken'))
  await failed
  const next = latest()
  await settled()
  runs[1]?.finish(answer)
  expect(await next).toBe(answer)
})

test('a query over the limit is refused with a retry delay', async () => {
  const { latest } = world({ runningQueries: 1, runningSqlQueries: 1, waitingQueries: 0 })
  void latest()
  expect(await problemOf(latest())).toMatchObject({ code: 'overloaded', retryAfterS: 1 })
})

describe('the list of entities', () => {
  const mayCount = () => {
    let go = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    return { gate, go: () => go() }
  }

  test('uses one place among the queries, and frees it', async () => {
    const { gate, go } = mayCount()
    const { entityList, latest, runs } = world({ runningQueries: 1, runningSqlQueries: 1, waitingQueries: 0 }, gate)
    const listed = entityList.list(never, everyone)
    expect(await problemOf(latest())).toMatchObject({ code: 'overloaded' })
    go()
    expect(await listed).toHaveLength(2)
    void latest()
    await settled()
    expect(runs).toHaveLength(1)
  })

  test('is cancelled at its time limit, and when its caller disconnects', async () => {
    const { gate, go } = mayCount()
    const { entityList, counted, letTimePass } = world({}, gate)
    const late = problemOf(entityList.list(never, everyone))
    await settled()
    letTimePass()
    expect(await late).toMatchObject({ code: 'query_timeout' })
    const leaving = new AbortController()
    const left = entityList.list(leaving.signal, everyone)
    await settled()
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    expect(counted.map(({ aborted }) => aborted)).toEqual([true, true, true, true])
    go()
  })
})

test('the list contains only the entities that the caller may read', async () => {
  const { entityList } = world()
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ]
  expect(await entityList.list(never, { id: 'a', mayRead: (name) => name === 'plant' })).toEqual([
    {
      entity: 'plant',
      ingests: ['plant', 'plant.more'],
      time_field: 'D',
      fields,
      rows: 3,
      first_date: '1970-01-01T00:00:00.000Z',
      last_date: '1970-01-01T00:00:01.500Z',
    },
  ])
  expect(await entityList.list(never, { id: 'a', mayRead: (name) => name === 'secret' })).toMatchObject([
    {
      entity: 'secret',
      rows: 0,
      first_date: null,
      last_date: null,
      time_zone: 'Europe/Madrid',
      shapes: { V: 'step' },
      max_gaps: { V: 'PT1H' },
    },
  ])
})

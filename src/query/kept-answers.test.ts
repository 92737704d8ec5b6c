import { describe, expect, test } from 'vitest'
import { everyone } from '../../test/support/everyone.ts'
import { drawFrom, randomEntity, randomPlan } from '../../test/support/random-rows.ts'
import { rounds } from '../../test/support/rounds.ts'
import { Admission } from '../admission/admission.ts'
import { UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Answer } from '../answer/whole-answer.ts'
import { ChangeCounts } from '../lib/change-counts.ts'
import type { Entity } from '../model/entity.ts'
import type { Plan } from '../model/plan.ts'
import { KeptAnswers, type KeptAnswersParts } from './kept-answers.ts'
import { Queries } from './queries.ts'

const entity: Entity = {
  id: 1,
  name: 'plant',
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ],
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}

const spool = { answerMemoryBytes: 1000, memoryBytes: 10_000, fileBytes: 0 }
const nowMs = Date.UTC(2026, 0, 2)
const today = Float64Array.of(nowMs)

function keeping(parts: Partial<KeptAnswersParts> = {}) {
  const changes = ChangeCounts.fresh(nowMs)
  const unsent = new UnsentAnswers(spool)
  const kept = new KeptAnswers({ bytesMax: 100_000, changes, isReady: () => true, unsent, ...parts })
  return { changes, unsent, kept }
}

/** Queries whose store says how often it was asked. */
function asking(parts: Partial<KeptAnswersParts> = {}) {
  const { kept, changes, unsent } = keeping(parts)
  const plans: Plan[] = []
  const store = { during: (): void => undefined }
  const limits = { resultRows: 1, buckets: 1, resultBytes: 1, queryTimeMs: 60_000 }
  const places = { runningQueries: 1, runningSqlQueries: 1, waitingQueries: 0 }
  let known = entity
  const queries = new Queries({
    definitions: {
      entity: (name) => (name === known.name ? known : undefined),
      entities: () => [known],
      metadataEntity: () => undefined,
    },
    runner: {
      run: async (plan) => {
        plans.push(plan)
        store.during()
        return short(`answer ${plans.length}`)
      },
      statistics: () => Promise.reject(new Error('not asked')),
      tags: () => Promise.reject(new Error('not asked')),
    },
    kept,
    admission: new Admission(places),
    nowMs: () => nowMs,
    limits,
  })
  const never = new AbortController().signal
  const ask = async (request: object = {}, format: 'json' | 'csv' = 'json', reader = everyone): Promise<string> => {
    const answer = await queries.run('select', { entity: 'plant', ...request }, format, never, reader)
    answer.release()
    return answer.text!
  }
  const define = (defined: Entity): void => {
    known = defined
  }
  return { ask, changes, unsent, store, define, kept }
}

function short(text: string): Answer {
  return { rows: 1, bytes: text.length, text, chunks: [Buffer.from(text)], release: () => undefined }
}

describe('the same question', () => {
  test('is answered with what was kept from the third time on', async () => {
    const { ask, kept } = asking()
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([
      'answer 1',
      'answer 2',
      'answer 2',
      'answer 2',
    ])
    expect(kept.counts).toEqual({ hits: 2, misses: 2 })
  })

  test('is asked anew when something has changed, and when something changes while it is answered', async () => {
    const { ask, changes, store } = asking()
    for (const answer of ['answer 1', 'answer 2', 'answer 2']) expect(await ask()).toBe(answer)
    changes.changed(1, today, 1)
    expect(await ask()).toBe('answer 3')
    expect(await ask()).toBe('answer 3')
    changes.changed(1, today, 1)
    store.during = () => changes.changed(1, today, 1)
    expect(await ask()).toBe('answer 4')
    store.during = () => undefined
    expect(await ask()).toBe('answer 5')
    expect(await ask()).toBe('answer 5')
  })

  test('is not asked anew for changes of other days and entities', async () => {
    const { ask, changes } = asking()
    const yesterday = { start_date: '2026-01-01T00:00:00Z', end_date: '2026-01-01T23:59:59.999Z' }
    for (let round = 0; round < 3; round++) await ask(yesterday)
    changes.changed(1, today, 1)
    changes.allChanged(2)
    expect(await ask(yesterday)).toBe('answer 2')
  })

  test.each<[string, (world: ReturnType<typeof asking>) => Promise<string>]>([
    ['in another format', ({ ask }) => ask({}, 'csv')],
    ['about another tag', ({ ask }) => ask({ ids: ['b'] })],
    ['of another range', ({ ask }) => ask({ end_date: '2026-01-01T00:00:00Z' })],
    [
      'of an entity that has another field',
      ({ ask, define }) => {
        define({ ...entity, fields: [...entity.fields, { name: 'W', type: 'double', role: 'metric' }] })
        return ask()
      },
    ],
    [
      'when rows have left',
      ({ ask, define }) => {
        define({ ...entity, sinceMs: 5 })
        return ask()
      },
    ],
    [
      'of another entity of that name',
      ({ ask, define }) => {
        define({ ...entity, id: 65 })
        return ask()
      },
    ],
  ])('is another one %s', async (_, askOther) => {
    const world = asking()
    for (let round = 0; round < 3; round++) await world.ask()
    expect(await askOther(world)).toBe('answer 3')
  })

  test('is refused who may not read the entity', async () => {
    const { ask } = asking()
    for (let round = 0; round < 3; round++) await ask()
    const stranger = { id: 'stranger', mayRead: () => false }
    await expect(ask({}, 'json', stranger)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('is asked while the store is away, and where answers wait to be sent already', async () => {
    let isReady = true
    const { ask, unsent } = asking({ isReady: () => isReady })
    for (let round = 0; round < 3; round++) await ask()
    isReady = false
    expect(await ask()).toBe('answer 3')
    isReady = true
    expect(await ask()).toBe('answer 3')
    const waiting = unsent.open({ rows: 1, bytes: 9999, body: { kind: 'memory', chunks: [] } })
    expect(await ask()).toBe('answer 4')
    waiting.release()
    expect(await ask()).toBe('answer 4')
  })
})

const range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const planOf = (ids: readonly string[]): Plan => ({
  kind: 'select',
  selection: {
    entityId: 1,
    sinceMs: null,
    time: entity.fields[0]!,
    tags: [entity.fields[1]!],
    ids,
    prefixes: null,
    metrics: [entity.fields[2]!],
    fields: [],
  },
  range,
})

test('two plans have one key where they are equal, and there alone', () => {
  const { kept } = keeping()
  const draw = drawFrom(7)
  const world = randomEntity(draw)
  const plans = Array.from({ length: rounds(3000) }, () => randomPlan(draw, world, 40 * 60_000))
  const textOf = (plan: Plan): string =>
    JSON.stringify(plan, (_, value: unknown) =>
      typeof value === 'number' || ArrayBuffer.isView(value) ? String(value) : value,
    )
  const byKey = new Map(plans.map((plan) => [kept.question(plan, 'json')?.key, textOf(plan)]))
  for (const plan of plans) {
    const question = kept.question(plan, 'json')
    if (question !== null) expect(byKey.get(question.key)).toBe(textOf(plan))
  }
  const questions = plans.filter((plan) => kept.question(plan, 'json') !== null)
  expect(new Set(questions.map((plan) => kept.question(plan, 'json')!.key)).size).toBe(
    new Set(questions.map(textOf)).size,
  )
})

describe('what is kept', () => {
  function keep(kept: KeptAnswers, tag: string, text: string): void {
    for (let round = 0; round < 2; round++) kept.keep(kept.question(planOf([tag]), 'json')!, short(text))
  }
  const has = (kept: KeptAnswers, tag: string): boolean => kept.find(kept.question(planOf([tag]), 'json')!) !== null

  test('stays within its bound: what was not asked for longest goes first', () => {
    const roomy = new UnsentAnswers({ answerMemoryBytes: 1e6, memoryBytes: 1e6, fileBytes: 0 })
    const { kept } = keeping({ bytesMax: 10_000, unsent: roomy })
    for (const tag of ['a', 'b', 'c', 'd']) keep(kept, tag, 'x'.repeat(2000))
    expect(kept.bytes).toBeGreaterThan(4 * 2000)
    expect(has(kept, 'a')).toBe(true)
    keep(kept, 'e', 'x'.repeat(2000))
    expect(kept.bytes).toBeLessThanOrEqual(10_000)
    keep(kept, 'too large', 'x'.repeat(20_000))
    expect(['a', 'b', 'c', 'd', 'e', 'too large'].map((tag) => has(kept, tag))).toEqual([
      ...[true, false, true, true, true],
      false,
    ])
  })

  test('takes no memory when it is out of date', () => {
    const { kept, changes } = keeping()
    keep(kept, 'a', 'x')
    changes.allChanged(1)
    expect(has(kept, 'a')).toBe(false)
    expect(kept.bytes).toBe(0)
  })

  test('is no long answer and no long question', () => {
    const { kept } = keeping()
    const question = kept.question(planOf(['a']), 'json')!
    for (let round = 0; round < 3; round++)
      kept.keep(question, { rows: 1, bytes: 1, chunks: [], release: () => undefined })
    expect(kept.bytes).toBe(0)
    expect(kept.question(planOf(Array.from({ length: 101 }, String)), 'json')).toBeNull()
  })

  test('counts among what waits to be sent until it is sent', () => {
    const { kept, unsent } = keeping()
    keep(kept, 'a', 'x'.repeat(600))
    const answers = Array.from({ length: 16 }, () => kept.find(kept.question(planOf(['a']), 'json')!))
    expect(unsent.room().memoryBytes).toBe(400)
    expect(has(kept, 'a')).toBe(false)
    for (const answer of answers) answer?.release()
    expect(unsent.room().memoryBytes).toBe(1000)
  })
})

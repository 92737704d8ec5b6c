import { describe, expect, test } from 'vitest'
import { readFailure } from '../../../druid-client/druid-failure.ts'
import { SupervisorSlots } from './supervisor-slots.ts'
import { type SupervisionSettings, supervisorSpec } from './supervisor-spec.ts'

const nowMs = Date.UTC(2026, 0, 1)
const settings: SupervisionSettings = {
  clusterName: 'plant',
  consumerProperties: { 'bootstrap.servers': 'kafka:9092' },
  taskCount: 1,
  replicas: 1,
  taskDurationMs: 3_600_000,
}
const entity = { id: 1, fields: [], duplicates: 'keep' } as const

interface Task {
  readonly dataSource: string
  readonly type?: string
  readonly ageMs?: number
  readonly host?: string | null
}

function druidWith(answers: Readonly<Record<string, unknown>>, refusals: Readonly<Record<string, number>> = {}) {
  const posted: unknown[][] = []
  const manage = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const name = path.replace('/druid/indexer/v1/', '')
    if (method === 'POST') posted.push([name, body])
    if (refusals[name] !== undefined) throw readFailure(refusals[name], '{"error": "no"}')
    return answers[name] ?? {}
  }
  return { slots: new SupervisorSlots({ client: { manage }, settings, nowMs: () => nowMs }), posted }
}

const taskOf = ({ dataSource, type = 'index_kafka', ageMs = 60_000, host = 'indexer' }: Task) => ({
  type,
  dataSource,
  location: { host },
  createdTime: new Date(nowMs - ageMs).toISOString(),
})
const supervisor = (id: string, suspended = false) => ({ id, spec: { suspended } })
const seen = { isSuspended: false, running: 0, queued: 0, isSettled: false }

test.each<[string, readonly Task[], readonly Task[], object, number]>([
  ['no tasks', [], [], seen, 4],
  ['a reading task', [{ dataSource: 'plant_1' }], [], { ...seen, running: 1, isSettled: true }, 3],
  ['a task that has just started', [{ dataSource: 'plant_1', ageMs: 20_000 }], [], { ...seen, running: 1 }, 3],
  ['a task without a location', [{ dataSource: 'plant_1', host: null }], [], { ...seen, running: 1 }, 3],
  ['a pending task', [], [{ dataSource: 'plant_1' }], { ...seen, queued: 1 }, 3],
  [
    'the task of another data source, and compaction',
    [{ dataSource: 'x' }, { dataSource: 'plant_1', type: 'compact' }],
    [],
    seen,
    2,
  ],
])('readState() returns the supervisors and free slots with %s', async (_, running, pending, expected, freeSlots) => {
  const { slots } = druidWith({
    totalWorkerCapacity: { currentClusterCapacity: 4, maximumCapacityWithAutoScale: -1 },
    'tasks?state=running': running.map(taskOf),
    'tasks?state=pending': pending.map(taskOf),
    'tasks?state=waiting': [],
    'supervisor?full': [supervisor('plant_1'), supervisor('plant_2', true), supervisor('plants_3'), supervisor('x')],
  })
  const supervisors = new Map([
    [1, expected],
    [2, { ...seen, isSuspended: true }],
  ])
  expect(await slots.readState()).toEqual({ freeSlots, supervisors })
})

describe('an entity', () => {
  test('is resumed if suspended, and gets a supervisor if it has none', async () => {
    const { slots, posted } = druidWith({})
    await slots.wake(entity, true)
    await slots.wake(entity, false)
    await slots.rest(1)
    expect(posted).toEqual([
      ['supervisor/plant_1/resume', null],
      ['supervisor?skipRestartIfUnmodified=true', supervisorSpec(entity, settings)],
      ['supervisor/plant_1/suspend', null],
    ])
  })

  test.each([400, 404])('that another process has resumed, suspended or dropped is not changed: %i', async (status) => {
    const { slots, posted } = druidWith(
      {},
      { 'supervisor/plant_1/resume': status, 'supervisor/plant_1/suspend': status },
    )
    await slots.wake(entity, true)
    await slots.rest(1)
    expect(posted).toHaveLength(2)
  })

  test('fails with "unavailable" when Druid fails', async () => {
    const { slots } = druidWith({}, { 'supervisor/plant_1/resume': 500 })
    await expect(slots.wake(entity, true)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

test.each<[string, object, object]>([
  [
    'the transaction marker only',
    { latestOffsets: { 0: 8, 1: 3 }, minimumLag: { 0: 1, 1: 0 } },
    { isKnown: true, lags: [0, 0] },
  ],
  [
    'rows in one partition',
    { latestOffsets: { 0: 8, 1: 3 }, minimumLag: { 0: 3, 1: 1 } },
    { isKnown: true, lags: [2, 0] },
  ],
  ['offsets not refreshed yet', { latestOffsets: { 0: 6, 1: 3 }, minimumLag: { 0: 1, 1: 1 } }, { isKnown: false }],
  ['a supervisor that has just started', { minimumLag: {} }, { isKnown: false }],
  ['a missing partition', { latestOffsets: { 0: 8, 1: 3 }, minimumLag: { 0: 1 } }, { isKnown: false }],
])('unread() of a topic: %s', async (_, payload, expected) => {
  const { slots } = druidWith({ 'supervisor/plant_1/status': { payload } })
  expect(await slots.unread(1, [8, 3])).toMatchObject(expected)
})

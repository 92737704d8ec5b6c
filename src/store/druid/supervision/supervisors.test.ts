import { describe, expect, test } from 'vitest'
import type { EntityField } from '../../../model/entity.ts'
import { compactionConfig, type SupervisionSettings, supervisorSpec } from './supervisor-spec.ts'
import { Supervisors } from './supervisors.ts'

const nowMs = Date.UTC(2026, 0, 1)
const settings: SupervisionSettings = {
  clusterName: 'plant',
  consumerProperties: { 'bootstrap.servers': 'kafka:9092' },
  taskCount: 1,
  replicas: 1,
  taskDurationMs: 3_600_000,
}
const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
]
const added: EntityField = { name: 'W', type: 'long', role: 'metric' }
const entity = { id: 1, fields, duplicates: 'keep' } as const

interface Task {
  readonly ageMs: number
  readonly host: string | null
}

/** A Druid that has one supervisor, made for `entity`, and these tasks; records what is posted to it. */
function druidWith(tasks: readonly Task[], suspended = false) {
  const posted: unknown[] = []
  const listed = tasks.map(({ ageMs, host }) => ({
    type: 'index_kafka',
    location: { host },
    createdTime: new Date(nowMs - ageMs).toISOString(),
  }))
  const known = { id: 'plant_1', spec: { ...supervisorSpec(entity, settings), suspended } }
  const compactionConfigs: object[] = [compactionConfig('plant_1')]
  const failing = new Set<string>()
  const manage = async (method: string, path: string, body: object): Promise<unknown> => {
    for (const part of failing)
      if (`${method} ${path} ${JSON.stringify(body)}`.includes(part)) throw new Error('failed')
    if (method === 'POST' && path.includes('/supervisor')) posted.push(body)
    if (path.endsWith('/config/compaction')) {
      if (method === 'POST') compactionConfigs.push(body)
      return { compactionConfigs }
    }
    if (path.endsWith('/supervisor?full')) return [known]
    return path.includes('/tasks?state=running') ? listed : []
  }
  return { client: { manage }, posted, compactionConfigs, failing }
}

const settled = [{ ageMs: 40_000, host: 'indexer' }]

describe('a supervisor', () => {
  test.each<[string, typeof settled, Partial<SupervisionSettings>, readonly EntityField[], readonly number[]]>([
    ['is not updated when nothing changed', settled, {}, fields, []],
    ['is not updated when a field was added', settled, {}, [...fields, added], []],
    ['is updated when a setting changed', settled, { taskCount: 2 }, fields, [1]],
    ['is updated when a setting changed and it has no tasks', [], { taskCount: 2 }, fields, [1]],
    [
      'is not updated while one of its tasks has just started',
      [{ ageMs: 20_000, host: 'indexer' }],
      { taskCount: 2 },
      fields,
      [],
    ],
  ])('%s', async (_, tasks, changes, own, expected) => {
    const { client } = druidWith(tasks)
    const supervisors = new Supervisors({ client, settings: { ...settings, ...changes }, nowMs: () => nowMs })
    expect(await supervisors.ensure([{ ...entity, fields: own }])).toEqual(expected)
  })

  test('receives added fields when it is updated for another reason', async () => {
    const { client, posted } = druidWith(settled)
    const changed = { ...settings, replicas: 2 }
    const grown = { ...entity, fields: [...fields, added] }
    await new Supervisors({ client, settings: changed, nowMs: () => nowMs }).ensure([grown])
    expect(posted).toEqual([supervisorSpec(grown, changed)])
  })

  test.each<[string, readonly unknown[], readonly unknown[], readonly (readonly [number, number])[] | null]>([
    ['no task', [], [], null],
    [
      'one task',
      [{ startingOffsets: { 0: 5, 1: 7 } }],
      [],
      [
        [0, 5],
        [1, 7],
      ],
    ],
    ['one that is still publishing', [{ startingOffsets: { 0: 9 } }], [{ startingOffsets: { 0: 5 } }], [[0, 5]]],
    ['one without offsets yet', [{ startingOffsets: null }], [{ startingOffsets: { 0: 5 } }], null],
  ])(
    'readFrom() returns the start offsets of the oldest task: %s',
    async (_, activeTasks, publishingTasks, expected) => {
      const client = { manage: async () => ({ payload: { activeTasks, publishingTasks } }) }
      const from = await new Supervisors({ client, settings, nowMs: () => nowMs }).readFrom(1)
      expect(from === null ? null : [...from]).toEqual(expected)
    },
  )

  test('is not updated while a task has no location', async () => {
    const { client } = druidWith([...settled, { ageMs: 40_000, host: null }])
    const supervisors = new Supervisors({ client, settings: { ...settings, replicas: 2 }, nowMs: () => nowMs })
    expect(await supervisors.ensure([entity])).toEqual([])
  })

  test('receives its compaction config later if that failed or was omitted when it was made', async () => {
    const { client, compactionConfigs, failing } = druidWith(settled)
    compactionConfigs.length = 0
    const supervisors = new Supervisors({ client, settings, nowMs: () => nowMs })
    failing.add('POST /druid/coordinator/v1/config/compaction')
    await expect(supervisors.ensure([entity])).rejects.toThrow('failed')
    failing.clear()
    expect(await supervisors.ensure([entity])).toEqual([])
    expect(compactionConfigs).toEqual([compactionConfig('plant_1')])
    await supervisors.ensure([entity])
    expect(compactionConfigs).toHaveLength(1)
  })

  test('stays suspended when it is updated', async () => {
    const { client, posted } = druidWith([], true)
    const changed = { ...settings, replicas: 2 }
    const supervisors = new Supervisors({ client, settings: changed, nowMs: () => nowMs })
    expect(await supervisors.ensure([entity])).toEqual([1])
    expect(posted).toEqual([{ ...supervisorSpec(entity, changed), suspended: true }])
  })

  test('is not made in advance when it is to be made with the first rows', async () => {
    const { client, posted, compactionConfigs } = druidWith([])
    const supervisors = new Supervisors({ client, settings, nowMs: () => nowMs })
    expect(await supervisors.ensure([{ ...entity, id: 2 }], { makes: false })).toEqual([])
    expect([posted, compactionConfigs]).toEqual([[], [compactionConfig('plant_1')]])
  })

  test('readFrom() returns the published offsets when it is suspended', async () => {
    const payload = { activeTasks: [], publishingTasks: [], suspended: true }
    const from = async (own: object) => {
      const client = { manage: async () => ({ payload: { ...payload, ...own } }) }
      const found = await new Supervisors({ client, settings, nowMs: () => nowMs }).readFrom(1)
      return found === null ? null : [...found]
    }
    const known = { latestOffsets: { 0: 8, 1: 4 }, minimumLag: { 0: 1, 1: 0 } }
    expect(await from(known)).toEqual([
      [0, 7],
      [1, 4],
    ])
    expect(await from({})).toBeNull()
    expect(await from({ ...known, minimumLag: { 0: 1 } })).toBeNull()
    expect(await from({ ...known, publishingTasks: [{ startingOffsets: { 0: 2 } }] })).toEqual([[0, 2]])
  })

  test('refused by Druid for one entity does not block the others', async () => {
    const { client, posted, failing } = druidWith(settled)
    failing.add('"plant_2"')
    const others = [2, 3].map((id) => ({ ...entity, id }))
    const failed: number[] = []
    const supervisors = new Supervisors({ client, settings, nowMs: () => nowMs })
    expect(await supervisors.ensure([entity, ...others], { failed: (id) => failed.push(id) })).toEqual([3])
    expect([failed, posted]).toEqual([[2], [supervisorSpec(others[1]!, settings)]])
  })

  test('left() finds the rows and hours of dropped entities, and none of other clusters', async () => {
    const names = ['plant_1', 'plant_4', 'plant_x', 'plants_5', 'plant_6', 'plant_8_hours']
    const client = {
      manage: async (_: string, path: string) => (path.endsWith('/datasources') ? names : [{ id: 'plant_3' }]),
    }
    const supervisors = new Supervisors({ client, settings, nowMs: () => nowMs })
    expect(await supervisors.left(new Set([3, 4, 5, 7, 8]))).toEqual([3, 4, 8])
  })

  test.each<[string, Parameters<Supervisors['retain']>[0], told: readonly string[], expected: unknown[]]>([
    ['rows only', { id: 1, retention: 'P9D' }, [], [['plant_1', ['P9D', 'dropForever']]]],
    [
      'rows and hours',
      { id: 1, retention: 'P9D', hours: { retention: 'P90D', sinceMs: null } },
      [],
      [
        ['plant_1', ['P90D', 'P9D', 'dropForever']],
        ['plant_1_hours', ['P90D', 'dropForever']],
      ],
    ],
    [
      'rows, and hours without a retention',
      { id: 1, retention: 'P9D', hours: { retention: null, sinceMs: null } },
      ['plant_1'],
      [
        ['plant_1', []],
        ['plant_1_hours', ['loadForever']],
      ],
    ],
    [
      'rows, and hours that are no longer kept',
      { id: 1, retention: 'P9D' },
      ['plant_1_hours'],
      [
        ['plant_1', ['P9D', 'dropForever']],
        ['plant_1_hours', ['dropForever']],
      ],
    ],
  ])('Druid receives the retention rules of %s', async (_, entity, told, expected) => {
    const rules: unknown[] = []
    const client = {
      manage: async (method: string, path: string, body: unknown) => {
        if (method === 'GET') return Object.fromEntries(told.map((source) => [source, [{ type: 'other' }]]))
        const named = (body as { period?: string; type: string }[]).map(({ period, type }) => period ?? type)
        return rules.push([path.split('/').at(-1), named])
      },
    }
    const supervisors = new Supervisors({ client, settings, nowMs: () => nowMs })
    await supervisors.retain(entity, await supervisors.retentions())
    expect(rules).toEqual(expected)
  })

  test('Druid receives unchanged retention rules only once, even if it adds members to them', async () => {
    const rules = new Map<string, object[]>()
    const client = {
      manage: async (method: string, path: string, body: unknown) => {
        if (method === 'GET') return Object.fromEntries(rules)
        const filled = (body as object[]).map((rule) => ({ ...rule, tieredReplicants: { _default_tier: 2 } }))
        return void rules.set(path.split('/').at(-1)!, filled)
      },
    }
    const supervisors = new Supervisors({ client, settings, nowMs: () => nowMs })
    const entity = { id: 1, retention: 'P9D', hours: { retention: null, sinceMs: null } }
    await supervisors.retain(entity, await supervisors.retentions())
    const told = new Map(rules)
    await supervisors.retain(entity, await supervisors.retentions())
    expect(rules.get('plant_1_hours')).toBe(told.get('plant_1_hours'))
  })
})

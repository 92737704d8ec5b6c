import { beforeEach, describe, expect, test } from 'vitest'
import type { Entity } from '../../../model/entity.ts'
import { EntitySlots } from './entity-slots.ts'

const settledMs = 30_000
const publishMs = 25_000
const checkMs = 10_000

interface Task {
  readonly bornMs: number
  /** Null while the task reads. */
  endsMs: number | null
}

interface Supervisor {
  isSuspended: boolean
  tasks: Task[]
  isQueued: boolean
}

/** Druid and Kafka, as far as slots are concerned. Each push is a row and the marker of its transaction. */
class World {
  nowMs = 1_000_000
  slots = 24
  readonly ends = new Map<number, number>()
  /** Where the readable rows of each topic end. Later records are transaction markers and rows of aborted transactions. */
  readonly readable = new Map<number, number>()
  readonly published = new Map<number, number>()
  readonly supervisors = new Map<number, Supervisor>()
  readonly waits = new Map<number, number>()
  mostTasks = 0
  wakes = 0

  push(id: number): void {
    const end = (this.ends.get(id) ?? 0) + 2
    this.ends.set(id, end)
    this.readable.set(id, end - 1)
  }

  /** Writes an aborted transaction. */
  giveUp(id: number): void {
    this.ends.set(id, (this.ends.get(id) ?? 0) + 2)
  }

  get running(): number {
    return [...this.supervisors.values()].reduce((sum, { tasks }) => sum + tasks.length, 0)
  }

  isQueryable(id: number): boolean {
    const isRead = this.supervisors.get(id)?.tasks.some(({ endsMs }) => endsMs === null) ?? false
    return isRead || (this.published.get(id) ?? 0) >= (this.readable.get(id) ?? 0)
  }

  pass(ms: number): void {
    this.nowMs += ms
    for (const [id, supervisor] of this.supervisors) {
      for (const task of supervisor.tasks) {
        if (supervisor.isSuspended) task.endsMs ??= this.nowMs + publishMs
        if (task.endsMs !== null && task.endsMs <= this.nowMs) this.published.set(id, this.readable.get(id) ?? 0)
      }
      supervisor.tasks = supervisor.tasks.filter(({ endsMs }) => endsMs === null || endsMs > this.nowMs)
    }
    for (const supervisor of this.supervisors.values()) {
      const isRead = supervisor.tasks.some(({ endsMs }) => endsMs === null)
      supervisor.isQueued = !supervisor.isSuspended && !isRead && this.running >= this.slots
      if (!supervisor.isSuspended && !isRead && !supervisor.isQueued) {
        supervisor.tasks.push({ bornMs: this.nowMs, endsMs: null })
      }
    }
    this.mostTasks = Math.max(this.mostTasks, this.running)
  }
}

let world: World
let entities: Entity[]
let beforeRest: (id: number) => void

beforeEach(() => {
  world = new World()
  beforeRest = () => undefined
  makeEntities(8)
})

function makeEntities(count: number): void {
  entities = Array.from({ length: count }, (_, index) => {
    const id = index + 1
    return { id, name: `e${id}`, fields: [], duplicates: 'keep', ingests: [], retention: null, sinceMs: null }
  })
  for (const { id } of entities) world.ends.set(id, 0)
}

function newSlots(own: { readonly slotsMax?: number; readonly quietMs?: number } = {}): EntitySlots {
  return new EntitySlots({
    ingests: { entities: async () => entities },
    rowsTopics: { ends: async (ids) => new Map(ids.map((id) => [id, [world.ends.get(id)!]])) },
    slots: {
      readState: async () => ({
        freeSlots: world.slots - world.running - [...world.supervisors.values()].filter((one) => one.isQueued).length,
        supervisors: new Map(
          [...world.supervisors].map(([id, { isSuspended, tasks, isQueued }]) => {
            const isSettled = tasks.length > 0 && tasks.every(({ bornMs }) => bornMs + settledMs < world.nowMs)
            return [id, { isSuspended, running: tasks.length, queued: isQueued ? 1 : 0, isSettled }]
          }),
        ),
      }),
      wake: async ({ id }) => {
        world.wakes += 1
        const there = world.supervisors.get(id)
        if (there === undefined) world.supervisors.set(id, { isSuspended: false, tasks: [], isQueued: false })
        else there.isSuspended = false
      },
      rest: async (id) => {
        beforeRest(id)
        world.supervisors.get(id)!.isSuspended = true
      },
      unread: async (id, ends) => ({
        isKnown: true,
        lags: [Math.max(0, ends[0]! - (world.published.get(id) ?? 0) - 1)],
      }),
    },
    waits: {
      list: async () => new Map(world.waits),
      put: async (ids, nowMs) => {
        const before = [...world.waits.keys()].join()
        for (const id of world.waits.keys()) if (!ids.includes(id)) world.waits.delete(id)
        for (const id of ids) if (!world.waits.has(id)) world.waits.set(id, nowMs)
        return before !== [...world.waits.keys()].join()
      },
    },
    observe: () => undefined,
    nowMs: () => world.nowMs,
    settings: {
      slotsEach: 1,
      slotsMax: own.slotsMax ?? Number.POSITIVE_INFINITY,
      quietMs: own.quietMs ?? 600_000,
      quietMinMs: 10_000,
      timeoutMs: 1000,
      pauseMs: 0,
    },
  })
}

/** Writes a row as a pipeline does. */
async function push(slots: EntitySlots, id: number): Promise<void> {
  world.push(id)
  await slots.written([id])
}

/** Lets seconds pass and calls `each` in every second; each process checks every ten seconds. */
async function live(seconds: number, processes: readonly EntitySlots[], each: (second: number) => Promise<void>) {
  for (let second = 0; second < seconds; second++) {
    await each(second)
    world.pass(1000)
    for (const [index, one] of processes.entries()) if ((second + 3 * index) % (checkMs / 1000) === 0) await one.check()
  }
}
const nothing = async (): Promise<void> => undefined
const ids = (): readonly number[] => entities.map(({ id }) => id)

test('an entity without rows has no supervisor; its first row is read immediately', async () => {
  const slots = newSlots()
  await slots.check()
  expect(world.supervisors.size).toBe(0)
  await push(slots, 3)
  world.pass(1000)
  expect([...world.supervisors.keys()]).toEqual([3])
  expect(world.isQueryable(3)).toBe(true)
})

test.each([1, 3, 8])(
  '8 entities with one row each share %i slots: all are read, and the waiting ones are recorded',
  async (slotCount) => {
    world.slots = slotCount
    const slots = newSlots()
    for (const { id } of entities) await push(slots, id)
    expect([...world.waits.keys()]).toEqual(ids().slice(slotCount))
    await live(80 * 8, [slots], nothing)
    expect(ids().filter((id) => !world.isQueryable(id))).toEqual([])
    expect([world.mostTasks <= slotCount, world.waits.size]).toEqual([true, 0])
  },
)

test('slots beyond slotsMax stay free for others', async () => {
  const slots = newSlots({ slotsMax: 2 })
  for (const { id } of entities) await push(slots, id)
  await live(500, [slots], nothing)
  expect(world.mostTasks).toBe(2)
  expect(ids().filter((id) => !world.isQueryable(id))).toEqual([])
})

test('an entity that is quiet for long releases its slot even if no other waits, and regains one with its next row', async () => {
  const slots = newSlots({ quietMs: 60_000 })
  await push(slots, 1)
  await live(120, [slots], nothing)
  expect([world.running, world.isQueryable(1)]).toEqual([0, true])
  await push(slots, 1)
  world.pass(1000)
  expect([world.running, world.isQueryable(1)]).toEqual([1, true])
})

test('a row that arrives while its entity publishes is read too', async () => {
  const slots = newSlots({ quietMs: 60_000 })
  await push(slots, 1)
  await live(71, [slots], nothing)
  expect(world.supervisors.get(1)).toMatchObject({ isSuspended: true, tasks: [{ endsMs: expect.anything() }] })
  await push(slots, 1)
  world.pass(1000)
  expect(world.isQueryable(1)).toBe(true)
})

test.each([1, 2])('300 entities of which 20 are busy run on 24 slots, with %i processes', async (count) => {
  makeEntities(300)
  const processes = Array.from({ length: count }, () => newSlots())
  const writer = (second: number): EntitySlots => processes[second % count]!
  let behind = 0
  await live(1200, processes, async (second) => {
    for (let id = 1; id <= 20; id++) await push(writer(second + id), id)
    if (second % 25 === 0) await push(writer(second), 21 + ((second * 7) % 280))
    for (let id = 1; second > 5 && id <= 20; id++) if (!world.isQueryable(id)) behind += 1
  })
  expect(behind).toBe(0)
  expect(world.mostTasks).toBeLessThanOrEqual(24)
  await live(400, processes, nothing)
  expect(ids().filter((id) => !world.isQueryable(id))).toEqual([])
})

test('more busy entities than slots: those without a slot are recorded as waiting, and read when another falls silent', async () => {
  world.slots = 3
  const slots = newSlots()
  await live(100, [slots], async () => {
    for (let id = 1; id <= 4; id++) await push(slots, id)
  })
  expect([...world.waits.keys()]).toEqual([4])
  const since = world.waits.get(4)
  await live(100, [slots], async () => {
    for (let id = 2; id <= 4; id++) await push(slots, id)
  })
  expect(since).toBeLessThan(1_020_000)
  expect([2, 3, 4].filter((id) => !world.isQueryable(id))).toEqual([])
})

describe('changes between two checks', () => {
  test('a row that arrives as its entity is being suspended is read soon after', async () => {
    const slots = newSlots({ quietMs: 60_000 })
    await push(slots, 1)
    // Another process writes the row and assumes that the entity is still read.
    beforeRest = (id) => {
      world.push(id)
      beforeRest = () => undefined
    }
    await live(120, [slots], nothing)
    expect(world.isQueryable(1)).toBe(true)
  })

  test('a newly started process wakes only the entities with unread rows', async () => {
    const before = newSlots({ quietMs: 60_000 })
    for (const id of [1, 2]) await push(before, id)
    await live(120, [before], nothing)
    world.push(2)
    world.wakes = 0
    const after = newSlots()
    await after.check()
    world.pass(1000)
    expect([world.wakes, world.isQueryable(2)]).toEqual([1, true])
  })

  test('an aborted transaction does not occupy a slot forever', async () => {
    const slots = newSlots({ quietMs: 60_000 })
    await push(slots, 1)
    world.giveUp(1)
    await live(1200, [slots], nothing)
    const wakes = world.wakes
    await live(600, [slots], nothing)
    expect([world.wakes - wakes, world.running]).toEqual([0, 0])
    await push(slots, 1)
    world.pass(1000)
    expect(world.isQueryable(1)).toBe(true)
  })

  test('an entity that waits very long is not mistaken for one without unread rows', async () => {
    world.slots = 1
    const slots = newSlots()
    for (const id of [1, 2]) await push(slots, id)
    await live(600, [slots], () => push(slots, 1))
    expect([...world.waits.keys()]).toEqual([2])
    await live(120, [slots], nothing)
    expect(world.isQueryable(2)).toBe(true)
  })
})

test('rows of an entity that is certainly being read need no request', async () => {
  const slots = newSlots()
  await push(slots, 1)
  world.pass(1000)
  await slots.check()
  world.push(1)
  expect(slots.written([1])).toBeNull()
  world.nowMs += 6000
  expect(slots.written([1])).not.toBeNull()
})

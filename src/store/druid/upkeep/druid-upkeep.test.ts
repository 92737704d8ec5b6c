import { beforeEach, describe, expect, test } from 'vitest'
import type { DroppedEntity } from '../../../catalog/catalog.ts'
import type { Entity } from '../../../model/entity.ts'
import type { ClusterEvent } from '../../../observe/event.ts'
import { DruidUpkeep } from './druid-upkeep.ts'

const timeoutMs = 1000

const entityOf = (id: number): Entity => ({
  id,
  name: `e${id}`,
  fields: [],
  duplicates: 'keep',
  ingests: [],
  retention: null,
  sinceMs: null,
})

/** The state that all processes share: the catalog, Druid and Kafka. */
let entities: Entity[]
let dropped: DroppedEntity[]
let supervisors: Set<number>
let topics: Set<number>
/** Requests to Druid and Kafka, in order. */
let asked: string[]
/** Requests that fail, such as `topic 2`, and the time that each failure takes. */
let failing: Set<string>
let failingTakesMs: number
let nowMs: number
let events: string[]

beforeEach(() => {
  entities = [1, 2, 3].map(entityOf)
  dropped = []
  supervisors = new Set()
  topics = new Set()
  asked = []
  failing = new Set()
  failingTakesMs = 0
  nowMs = 1_000_000
  events = []
})

function ask(question: string, act: () => void): void {
  asked.push(question)
  if (failing.has(question)) {
    nowMs += failingTakesMs
    throw new Error(`no ${question}`)
  }
  act()
}

/** A process. `beforeSupervisors` runs after it has made the topics, as the actions of other processes. */
function newUpkeep(beforeSupervisors: () => Promise<void> = async () => undefined): DruidUpkeep {
  const remove = async (id: number): Promise<boolean> => {
    dropped = dropped.map((one) => (one.entityId === id ? { ...one, isRemoved: true } : one))
    return true
  }
  return new DruidUpkeep({
    ingests: { entities: async () => entities },
    dropped: { list: async () => dropped, remove },
    supervisors: {
      ensure: async (given, { failed } = {}) => {
        await beforeSupervisors()
        const made: number[] = []
        for (const { id } of given) {
          try {
            ask(`supervisor ${id}`, () => !supervisors.has(id) && made.push(id))
            supervisors.add(id)
          } catch (error) {
            failed?.(id, error)
          }
        }
        return made
      },
      drop: async (id) => ask(`drop ${id}`, () => supervisors.delete(id)),
      left: async (ids) => [...ids].filter((id) => supervisors.has(id)),
      retentions: async () => {
        ask('retentions', () => undefined)
        return { rulesOf: () => [] }
      },
      retain: async ({ id }) => ask(`retain ${id}`, () => undefined),
    },
    rowsTopics: {
      ensure: async (id) => {
        ask(`topic ${id}`, () => topics.add(id))
        return 1
      },
      left: async (ids) => [...ids].filter((id) => topics.has(id)),
      remove: async (id) => ask(`remove ${id}`, () => topics.delete(id)),
    },
    observe: (event) => events.push((event as ClusterEvent).kind),
    timeoutMs,
    nowMs: () => nowMs,
  })
}

/** Has the effect of a DELETE of the ingest that feeds the entity. */
function dropEntity(id: number): void {
  entities = entities.filter((entity) => entity.id !== id)
  dropped.push({ entityId: id, ingestIds: [id], isRemoved: false })
}

const state = () => ({ supervisors: [...supervisors].sort(), topics: [...topics].sort() })

describe('an entity whose upkeep fails', () => {
  test.each(['topic 2', 'supervisor 2', 'retain 2', 'drop 9', 'remove 9'])(
    '%s: does not block the others',
    async (what) => {
      dropped = [9, 8].map((entityId) => ({ entityId, ingestIds: [], isRemoved: false }))
      for (const id of [8, 9]) topics.add(id)
      failing.add(what)
      const upkeep = newUpkeep()
      await expect(upkeep.check(true)).rejects.toThrow(
        new RegExp(`these entities failed, the others succeeded: entity ${what.slice(-1)}: no ${what}`),
      )
      const own = (id: number): string[] => [`topic ${id}`, `supervisor ${id}`, `retain ${id}`]
      expect(asked).toEqual(expect.arrayContaining([...own(1), ...own(3), 'drop 8', 'remove 8']))
      expect(dropped.find(({ entityId }) => entityId === 8)?.isRemoved).toBe(true)
      failing.clear()
      await upkeep.check(false)
      expect(state()).toEqual({ supervisors: [1, 2, 3], topics: [1, 2, 3] })
      expect(dropped.every(({ isRemoved }) => isRemoved)).toBe(true)
    },
  )

  test('comes last from then on', async () => {
    failing.add('topic 1')
    const upkeep = newUpkeep()
    await expect(upkeep.check(true)).rejects.toThrow('entity 1')
    asked = []
    await expect(upkeep.check(true)).rejects.toThrow('entity 1')
    expect(asked.filter((each) => each.startsWith('topic'))).toEqual(['topic 2', 'topic 3', 'topic 1'])
  })

  test('ends the round early when all entities time out', async () => {
    entities = Array.from({ length: 300 }, (_, index) => entityOf(index + 1))
    for (const { id } of entities) failing.add(`topic ${id}`)
    failingTakesMs = timeoutMs
    await expect(newUpkeep().check(true)).rejects.toThrow('no topic')
    expect(asked).toHaveLength(4)
  })
})

test('changes during a round cause a single further round', async () => {
  const upkeep = newUpkeep()
  await Promise.all([upkeep.check(false), ...entities.map(() => upkeep.check(true)), upkeep.check(false)])
  expect(asked.filter((each) => each === 'topic 1')).toHaveLength(1)
  const first = upkeep.check(false)
  await Promise.resolve()
  await Promise.resolve()
  await Promise.all([first, ...entities.map(() => upkeep.check(true)), upkeep.check(false)])
  expect(asked.filter((each) => each === 'topic 1').length).toBeLessThanOrEqual(2)
})

test('retention rules are requested once per round, and not when nothing changed', async () => {
  entities = Array.from({ length: 300 }, (_, index) => entityOf(index + 1))
  const upkeep = newUpkeep()
  await upkeep.check(true)
  await upkeep.check(false)
  expect(asked.filter((each) => each === 'retentions')).toHaveLength(1)
  expect(asked.filter((each) => each.startsWith('retain'))).toHaveLength(300)
})

describe('an entity that another process drops during a round', () => {
  test('is removed by the next full round if it was made again', async () => {
    const other = newUpkeep()
    await other.check(true)
    const late = newUpkeep(async () => {
      if (dropped.length > 0) return
      dropEntity(2)
      await other.check(false)
      expect(state()).toEqual({ supervisors: [1, 3], topics: [1, 3] })
    })
    await late.check(false)
    expect(state().supervisors).toEqual([1, 2, 3])
    // The next full round removes it, in any process, even one started since.
    await newUpkeep().check(true)
    expect(state()).toEqual({ supervisors: [1, 3], topics: [1, 3] })
  })

  test('is not removed repeatedly while Druid still lists it', async () => {
    dropEntity(2)
    supervisors.add(2)
    const upkeep = newUpkeep()
    await upkeep.check(true)
    for (let round = 0; round < 10; round++) {
      supervisors.add(2)
      nowMs += 10_000
      await upkeep.check(true)
    }
    expect(asked.filter((each) => each === 'drop 2')).toHaveLength(1)
    nowMs += 300_000
    await upkeep.check(true)
    expect(state().supervisors).toEqual([1, 3])
  })

  test('supervisors and topics unknown to the catalog are not removed', async () => {
    supervisors.add(77)
    topics.add(77)
    await newUpkeep().check(true)
    expect(state()).toEqual({ supervisors: [1, 2, 3, 77], topics: [1, 2, 3, 77] })
  })
})

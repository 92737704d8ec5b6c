// Hours that outlive their rows on a cluster: killed after any step and continued by another process, all hours are made, each once, and no row expires
// before. At each moment the sum that readers compute is that of the rows pushed and not deleted.
import { expect, test } from 'vitest'
import type { Retention } from '../../src/catalog/catalog.ts'
import type { HiddenByDeletion } from '../../src/model/deletion.ts'
import { dataSourceName, hoursSourceName, positionColumn, timeColumn } from '../../src/model/druid-row.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import { BatchTasks } from '../../src/store/druid/hours/batch-tasks.ts'
import { HourLines } from '../../src/store/druid/hours/hour-lines.ts'
import { hoursOfItems, type Item, itemFields } from '../../src/store/druid/hours/hours-of-items.ts'
import { Management } from '../../src/store/druid/supervision/management.ts'
import { HoursUpkeep } from '../../src/store/druid/upkeep/hours-upkeep.ts'
import { tag, time, value } from '../support/selection.ts'
import { type DruidRow, SimulatedDruid } from './simulated-druid.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const clusterName = 'plant'
const [rowsSource, hoursSource] = [dataSourceName(clusterName, 1), hoursSourceName(clusterName, 1)]
const long: EntityField = { name: 'N', type: 'long', role: 'metric' }
const fields = [time, tag, value, long]
const sinceMs = 40 * dayMs
const everything = { tag: 'T', ids: null, prefixes: null, fromMs: null, toMs: null, metrics: null, where: null }
/** Deletes rows and hours: it is made before, during and after the hours. */
const deletion = (id: number, fromMs: number): HiddenByDeletion => ({
  ...{ id, pushed: [{ from: 0, before: 60 }], items: null },
  selection: { ...everything, ids: ['a'], fromMs, toMs: fromMs + 2 * hourMs - 1 },
})

class Killed extends Error {}

class World {
  readonly druid = new SimulatedDruid()
  entity: Entity = {
    ...{ id: 1, name: 'e', fields, duplicates: 'keep', ingests: ['e'], retention: 'P1D', sinceMs },
    hours: { retention: null, sinceMs: null },
  }
  hidden: HiddenByDeletion[] = [deletion(1, 2 * dayMs)]
  processed = 60
  nowMs = 0
  underWay: string | null = null
  /** The number of requests that are processed before the process is killed. */
  left = Number.POSITIVE_INFINITY
  /** Actions at the moment of a request, by its number. */
  readonly events = new Map<number, () => void>()
  requests = 0

  constructor() {
    const rows = this.druid.rowsOf(rowsSource)
    for (let position = 0; position < 60; position++) rows.push(rowAt(position, (position * 7919) % 45))
  }

  /** Runs one process from its start until it is killed or has nothing left to do. */
  async run(plant: Partial<ConstructorParameters<typeof HoursUpkeep>[0]> = {}): Promise<void> {
    const client = {
      query: async function* (this: World, language: unknown, query: object) {
        await this.step()
        yield* this.druid.query(language, query)
      }.bind(this),
      manage: (method: string, path: string, body: unknown) =>
        this.asked(() => this.druid.manage(method, path, body)) as Promise<unknown>,
    }
    const upkeep = new HoursUpkeep({
      ingests: {
        entities: () => this.asked(async () => [structuredClone(this.entity)]),
        retain: (_, next, known) => this.asked(async () => this.retain(next, known)),
      },
      deletions: {
        hidden: () => this.asked(async () => new Map([[1, [...this.hidden]]])),
        begin: async () => true,
        end: async () => undefined,
      },
      processed: () => this.asked(async () => [{ from: 0, before: this.processed }]),
      published: () => this.asked(async () => undefined),
      client,
      tasks: new BatchTasks({ management: new Management(client, clusterName), pollEveryMs: 1 }),
      isMine: () => true,
      nowMs: () => this.nowMs++,
      settings: {
        ...{ clusterName, queryTimeMs: 1000, sliceMs: 5, chunkBytes: 5000, graceMs: 20, waitMs: 2000, pollEveryMs: 1 },
      },
      ...plant,
    })
    for (let rounds = 0; rounds < 60 && !this.isDone; rounds++) {
      await upkeep.check().catch((error: Error) => {
        if (!error.message.includes('killed')) throw error
      })
      if (this.left <= 0) return
    }
  }

  get isDone(): boolean {
    return this.entity.hours?.made?.goneMs === sinceMs
  }

  /** Each request may be the last: the kill comes before it is processed, or before its response. */
  async asked<T>(request: () => Promise<T>): Promise<T> {
    await this.step()
    const answer = await request()
    await this.step()
    return answer
  }

  async step(): Promise<void> {
    this.events.get(++this.requests)?.()
    if (--this.left < 0) throw new Killed('killed')
    this.check()
  }

  retain(next: Retention, known: Retention): boolean {
    const textOf = ({ retention, sinceMs: since, hours }: Retention): string =>
      JSON.stringify([retention, since, hours])
    if (textOf(known) !== textOf(this.entity)) return false
    this.entity = { ...this.entity, ...next }
    return true
  }

  /** Checks the sum that readers compute: hours before `madeMs`, and the rows that no hour represents. */
  check(): void {
    const { made } = this.entity.hours!
    const hours = this.druid.rowsOf(hoursSource).filter((row) => Number(row[timeColumn]) < (made?.madeMs ?? 0))
    const seenHours = hours.filter((row) => !this.hides(row, Number(row[positionColumn])))
    const isStoodFor = (row: DruidRow): boolean =>
      made !== undefined &&
      made.making !== null &&
      Number(row[timeColumn]) >= made.goneMs &&
      Number(row[timeColumn]) < made.madeMs &&
      made.making.pushed.some(({ before }) => Number(row[positionColumn]) < before)
    const rows = this.druid.rowsOf(rowsSource).filter((row) => !isStoodFor(row) && !this.hides(row, 0))
    const counted = seenHours.reduce((sum, row) => sum + Number(row[':rows']), rows.length)
    expect(counted).toBe(this.expectedRows)
  }

  hides(row: DruidRow, fromId: number): boolean {
    return this.hidden.some(({ id, pushed, selection }) => {
      const ms = Number(row[timeColumn])
      const isNamed = row['T'] === 'a' && ms >= selection.fromMs! && ms <= selection.toMs!
      return isNamed && (fromId > 0 || ':rows' in row ? id > fromId : Number(row[positionColumn]) < pushed[0]!.before)
    })
  }

  /** The rows pushed so far. */
  readonly pushed: DruidRow[] = Array.from({ length: 60 }, (_, position) => rowAt(position, (position * 7919) % 45))
  get expectedRows(): number {
    return this.pushed.filter((row) => !this.hides(row, 0)).length
  }

  push(position: number, day: number): void {
    this.pushed.push(rowAt(position, day))
    this.druid.rowsOf(rowsSource).push(rowAt(position, day))
  }
}

function rowAt(position: number, day: number): DruidRow {
  const ms = day * dayMs + (((position * 104_729) % 25) * hourMs) / 7 + position
  const N = position % 3 === 0 ? { N: position } : {}
  return {
    ...{ [timeColumn]: Math.floor(ms), T: ['a', 'b', null][position % 3], V: 0.1 * position, ...N },
    [positionColumn]: position,
  }
}

async function expectedLines(rows: readonly DruidRow[], position: number): Promise<string[]> {
  const items = rows
    .map((row): Item => [row[timeColumn], row['T'] ?? null, row['V'], row['N'] ?? null, row[positionColumn]])
    .sort((a, b) => Number(a[0]) - Number(b[0]) || Number(a[3]) - Number(b[3]))
  async function* parts() {
    yield items
  }
  const lines: string[] = []
  const writer = new HourLines(itemFields({ fields }))
  for await (const hour of hoursOfItems(parts(), itemFields({ fields }))) lines.push(writer.line(hour, position))
  return lines.sort()
}

const hoursIn = (world: World): string[] =>
  world.druid
    .rowsOf(hoursSource)
    .map((row) => JSON.stringify(row))
    .sort()

async function expectAllMade(world: World): Promise<void> {
  expect(world.isDone).toBe(true)
  const made = world.pushed.filter((row) => Number(row[timeColumn]) < sinceMs && Number(row[positionColumn]) < 60)
  const before = new World()
  const standing = made.filter((row) => !before.hides(row, 0))
  expect(hoursIn(world)).toEqual(await expectedLines(standing, 1))
  const rows = world.druid.rowsOf(rowsSource).map((row) => Number(row[positionColumn]))
  const left = world.pushed.filter((row) => !made.includes(row)).map((row) => Number(row[positionColumn]))
  expect(rows.sort()).toEqual(left.sort())
  world.check()
}

test('hours are made of all expired days, then the rows are removed; late rows stay next to the hours', async () => {
  const world = new World()
  world.events.set(40, () => world.push(700, 3))
  await world.run()
  await expectAllMade(world)
  expect(world.requests).toBeGreaterThan(60)
})

test('after a kill at any moment another process continues', async () => {
  const whole = new World()
  await whole.run()
  for (let kill = 1; kill < whole.requests; kill += 2) {
    const world = new World()
    world.events.set(Math.floor(kill / 2), () => world.push(700, 3))
    for (const left of [kill, Math.ceil(kill / 2), Number.POSITIVE_INFINITY]) {
      world.left = left
      await world.run()
    }
    await expectAllMade(world)
  }
}, 60_000)

test('a Druid result that lacks a day loses nothing and counts nothing twice', async () => {
  const whole = new World()
  await whole.run()
  for (let query = 1; query <= whole.druid.queries; query++) {
    for (const last of [query, query + 1]) {
      const world = new World()
      for (let lacking = query; lacking <= last; lacking++) world.druid.lacking.add(lacking)
      await world.run()
      expect(world.isDone).toBe(true)
      world.check()
    }
  }
}, 60_000)

test('a removal that was already requested is completed although a row arrives afterwards', async () => {
  const world = new World()
  const late = world.pushed.find((row) => Number(row[timeColumn]) < dayMs * 30)!
  world.check = () => undefined
  const manage = world.druid.manage.bind(world.druid)
  world.druid.manage = async (method, path, body) => {
    const answer = await manage(method, path, body)
    const isFirst = !world.druid.rowsOf(rowsSource).includes(late)
    const isRemoval = isFirst && method === 'POST' && JSON.stringify(body).includes('_left_')
    // The row arrives at its old position after the others are gone, and the process is killed.
    if (isRemoval) world.druid.rowsOf(rowsSource).push(late)
    if (isRemoval) world.left = 0
    return answer
  }
  await world.run()
  world.left = Number.POSITIVE_INFINITY
  const hours = hoursIn(world)
  const settings = {
    clusterName,
    queryTimeMs: 1000,
    sliceMs: 5,
    chunkBytes: 5000,
    graceMs: 20,
    waitMs: 500,
    pollEveryMs: 50,
  }
  await world.run({ settings, nowMs: () => (world.nowMs += 100_000) })
  expect(world.isDone).toBe(true)
  expect(hoursIn(world)).toEqual(expect.arrayContaining(hours))
  expect(world.druid.rowsOf(rowsSource)).toContainEqual(late)
})

test('a row that arrives late at an old position is either in the hours or stays as a late row', async () => {
  const whole = new World()
  await whole.run()
  for (let moment = 1; moment < whole.requests; moment++) {
    const world = new World()
    const late = world.pushed.find((row) => Number(row[timeColumn]) < dayMs * 30)!
    world.druid.sources.set(
      rowsSource,
      world.druid.rowsOf(rowsSource).filter((row) => row[positionColumn] !== late[positionColumn]),
    )
    world.pushed.splice(world.pushed.indexOf(late), 1)
    world.check = () => undefined
    world.events.set(moment, () => {
      // Replays are refused where rows are about to expire.
      const { made } = world.entity.hours!
      if (made?.making != null && made.madeMs === made.making.untilMs) return
      world.pushed.push(late)
      world.druid.rowsOf(rowsSource).push(late)
    })
    await world.run()
    World.prototype.check.call(world)
  }
}, 60_000)

test.each<[string, (world: World) => Parameters<World['run']>[0]]>([
  [
    'a catalog that records hours before they are made',
    (world) => ({
      ingests: {
        entities: async () => [structuredClone(world.entity)],
        retain: async (_, { hours, ...next }, known) => {
          const { made, ...kept } = hours!
          const early = made!.making === null ? made! : { ...made!, madeMs: made!.making.untilMs }
          return world.retain({ ...next, hours: { ...kept, made: early } }, known)
        },
      },
    }),
  ],
  [
    'a removal that ignores when rows were pushed',
    (world) => {
      world.events.set(10, () => world.push(700, 3))
      world.druid.removesAll = true
      return {}
    },
  ],
  [
    'a row that is missing although it was reported as published',
    (world) => {
      const rows = world.druid.rowsOf(rowsSource)
      const row = rows.find((one) => Number(one[timeColumn]) < dayMs)!
      world.druid.sources.set(
        rowsSource,
        rows.filter((one) => one !== row),
      )
      return {}
    },
  ],
])('a planted fault is detected: %s', async (_, plant) => {
  const world = new World()
  const planted = plant(world)
  const round = world.run(planted).then(() => expectAllMade(world))
  await expect(round).rejects.toThrow()
})

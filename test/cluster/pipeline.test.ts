// Pipelines are killed while rows arrive, and every row exists exactly once: stored, rejected, or as an item.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Replays } from '../../src/ingest/replay/replays.ts'
import { type JournalEntry, positionAfter } from '../../src/journal/journal.ts'
import type { Field } from '../../src/model/field.ts'
import type { Ingest } from '../../src/model/ingest.ts'
import { keyOfString } from '../../src/model/item-key.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { PipelineWorld, type WorldOptions } from './pipeline-world.ts'

const field = (name: string, type: Field['type'], role: Field['role']): Field => ({ name, source: name, type, role })
const seriesFields = [field('D', 'timestamp', 'time'), field('T', 'string', 'tag'), field('V', 'long', 'metric')]
const itemFields = [field('id', 'string', 'index'), field('n', 'long', 'attribute')]
const later = field('X', 'double', 'metric')

let world: PipelineWorld
afterEach(() => world.remove())

/** The expected result of all acknowledged pushes. */
class Expected {
  /** The number in each valid row by position, by entity id. */
  readonly stored = new Map<number, Map<number, number>>()
  /** The number in each row with a still unknown field by position, by ingest id. */
  readonly rejected = new Map<number, Map<number, number>>()
  /** The newest push of each item. */
  readonly items = new Map<string, { readonly position: number; readonly number: number }>()
  readonly rows = new Map<number, number>()
  readonly endPositions: number[] = []
}

class Pushing {
  readonly expected = new Expected()
  readonly #world: PipelineWorld
  readonly #random: Random
  readonly #ingests: readonly Ingest[]
  readonly #repeated: ((taken: ReadonlySet<number>) => void)[] = []
  #serial = 0

  constructor(world: PipelineWorld, random: Random, ingests: readonly Ingest[]) {
    this.#world = world
    this.#random = random
    this.#ingests = ingests
  }

  async push(): Promise<void> {
    const random = this.#random
    const ingest = this.#ingests[random.below(this.#ingests.length)]!
    const rows = random.below(10) === 0 ? 300 + random.below(900) : 1 + random.below(20)
    const isItems = ingest.kind === 'metadata'
    const kinds = Array.from({ length: rows }, () => (!isItems && random.below(10) === 0 ? 'bad' : 'good'))
    const numbers = kinds.map(() => ++this.#serial)
    const body = Buffer.from(
      JSON.stringify(
        numbers.map((number, index) =>
          isItems
            ? { id: `item ${number % 7}`, n: number }
            : { D: number, T: 't', V: number, ...(kinds[index] === 'bad' ? { X: 1.5 } : {}) },
        ),
      ),
    )
    const idempotencyKey = random.below(4) === 0 ? `key ${this.#serial}` : null
    const { id: ingestId, fieldsVersion } = ingest
    const base = { ingestId, fieldsVersion, subscriberId: 1, receivedMs: Date.now(), format: 'json' } as const
    const entry: JournalEntry = { ...base, idempotencyKey, rows, body }
    const position = await this.#world.journal.append(entry, ingest)
    this.expected.endPositions.push(positionAfter({ position, rows }))
    // As after a lost response, when the client pushes again: at another process, or when the first push is no longer known.
    const isRepeated = idempotencyKey !== null && random.below(2) === 0
    const again = isRepeated ? await this.#world.journal.append(entry, ingest) : null
    if (again !== null) this.expected.endPositions.push(positionAfter({ position: again, rows }))
    if (again === null || isItems) return this.#note(ingest, position, numbers, kinds)
    this.#repeated.push((taken) => this.#note(ingest, taken.has(position) ? position : again, numbers, kinds))
  }

  /** Finds out which of two pushes with the same key in different partitions counts: it may be either. */
  async settle(): Promise<void> {
    const taken = new Set<number>()
    for (const { id, entityId, kind } of this.#ingests) {
      if (kind === 'metadata') continue
      for (const row of await this.#world.rows(entityId)) taken.add(Number(row[':position']))
      const all = { afterPosition: -1, limit: 100_000, bytesMax: 1 << 30 }
      for (const { position } of (await this.#world.catalog.rejected.list(id, all)).rows) taken.add(position)
    }
    for (const note of this.#repeated) note(taken)
  }

  #note(ingest: Ingest, position: number, numbers: readonly number[], kinds: readonly string[]): void {
    const { stored, rejected, items, rows } = this.expected
    rows.set(ingest.id, (rows.get(ingest.id) ?? 0) + numbers.length)
    for (const [index, number] of numbers.entries()) {
      if (ingest.kind === 'metadata') {
        const [id, item] = [`item ${number % 7}`, { position: position + index, number }]
        if (item.position > (items.get(id)?.position ?? -1)) items.set(id, item)
      } else {
        const to = kinds[index] === 'bad' ? of(rejected, ingest.id) : of(stored, ingest.entityId)
        to.set(position + index, number)
      }
    }
  }
}

function of(all: Map<number, Map<number, number>>, id: number): Map<number, number> {
  const known = all.get(id) ?? new Map<number, number>()
  all.set(id, known)
  return known
}

async function validated(expected: Expected): Promise<void> {
  const signal = AbortSignal.timeout(240_000)
  for (const position of expected.endPositions) await world.progress.waitFor(position, signal)
}

async function check(ingests: readonly Ingest[], expected: Expected): Promise<void> {
  for (const { id, entityId, kind } of ingests) {
    const rejected = [...of(expected.rejected, id).keys()].toSorted((left, right) => left - right)
    const page = await world.catalog.rejected.list(id, { afterPosition: -1, limit: 100_000, bytesMax: 1 << 30 })
    expect(page.rows.map(({ position }) => position)).toEqual(rejected)
    const rows = expected.rows.get(id) ?? 0
    // Nothing has checked yet whether queries see the rows. Each row is counted once among those to see, however often it was validated.
    const rowsToStore = (await world.catalog.partitions.storedRows(id)).reduce(
      (sum, partition) => sum + partition.rows,
      0,
    )
    expect(rowsToStore).toBe(kind === 'metadata' ? 0 : rows - rejected.length)
    await world.progress.checkVisible(id)
    await expect
      .poll(() => world.progress.counters(id), { timeout: 10_000 })
      .toEqual({ received: rows, stored: rows - rejected.length, rejected: rejected.length, pending: 0 })
    if (kind === 'metadata') continue
    const found = (await world.rows(entityId)).map((row) => [row[':position'], row['V']])
    const stored = [...of(expected.stored, entityId)].toSorted(([left], [right]) => left - right)
    expect(found.toSorted((left, right) => Number(left[0]) - Number(right[0]))).toEqual(stored)
  }
  const items = ingests.find(({ kind }) => kind === 'metadata')!
  const keys = [...expected.items.keys()].toSorted()
  const { items: found } = await world.catalog.items.find(items.entityId, keys.map(keyOfString), 1 << 20)
  expect(found.map(({ attributes }) => attributes)).toEqual(keys.map((key) => `n:${expected.items.get(key)?.number}\n`))
}

async function begin(options: WorldOptions): Promise<readonly Ingest[]> {
  world = new PipelineWorld(options)
  await world.start()
  const base = { kind: 'series', fields: seriesFields, duplicates: 'keep', createdMs: 0 } as const
  return [
    await world.create({ ...base, alias: 'a', entity: 'e' }),
    await world.create({ ...base, alias: 'b', entity: 'e' }),
    await world.create({ ...base, alias: 'c', entity: 'c', duplicates: 'replace' }),
    await world.create({ ...base, alias: 'items', kind: 'metadata', entity: null, fields: itemFields }),
  ]
}

async function replayAll(ingests: readonly Ingest[], expected: Expected): Promise<void> {
  const { catalog, journal, progress } = world
  const parts = {
    rejected: catalog.rejected,
    quarantine: catalog.quarantine,
    journal,
    progress,
    isQueryable: async (): Promise<void> => undefined,
    journaled: async (): Promise<void> => undefined,
    nowMs: Date.now,
    reach: () => undefined,
  }
  const replays = new Replays(parts)
  for (const { alias, id, entityId, kind } of ingests) {
    if (kind === 'metadata') continue
    const ingest = await catalog.ingests.change(alias, { addFields: [later] })
    const rejected = of(expected.rejected, id)
    expect(await replays.replay(ingest!, null, AbortSignal.timeout(240_000))).toEqual({
      replayed: rejected.size,
      stored: rejected.size,
      rejected: 0,
    })
    for (const [position, number] of rejected) of(expected.stored, entityId).set(position, number)
    rejected.clear()
  }
}

const rounds = Number(process.env['TIDEMARK_PIPELINE_ROUNDS'] ?? 3)

test.each([
  ['one partition per entity', { partitions: 4, partitionsPerEntity: 1, stepBytes: 4096 }],
  ['two partitions per entity', { partitions: 4, partitionsPerEntity: 2, stepBytes: 16_384 }],
])(
  '%s: every row exists exactly once while pipelines are killed and replaced at random moments',
  async (_, options) => {
    const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 32))
    console.log(`seed=${seed}`)
    const random = seededRandom(seed)
    const ingests = await begin(options)
    const pushing = new Pushing(world, random, ingests)
    await world.startProcess()
    for (let round = 0; round < rounds; round++) {
      const kill = async (): Promise<void> => {
        await sleep(random.below(2000))
        const victim = world.processes[random.below(world.processes.length)]!
        await world.end(victim, random.below(5) === 0 ? 'SIGTERM' : 'SIGKILL')
        await world.startProcess()
        // Usually two of them share the partitions.
        if (world.processes.length < 2 && random.below(3) > 0) await world.startProcess()
      }
      const killing = kill()
      for (let count = 0; count < 30; count++) await Promise.all(Array.from({ length: 4 }, () => pushing.push()))
      await killing
    }
    await validated(pushing.expected)
    await pushing.settle()
    await check(ingests, pushing.expected)
    await Promise.all([
      replayAll(ingests, pushing.expected),
      sleep(random.below(1000))
        .then(() => world.end(world.processes[0]!, 'SIGKILL'))
        .then(() => world.startProcess()),
    ])
    await check(ingests, pushing.expected)
  },
  600_000,
)

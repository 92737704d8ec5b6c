// Entries that end the validator, over all the generations that they end: the store loses its rows each time; the catalog and the note persist.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plantIngest as series } from '../../../test/support/plant-ingest.ts'
import { rounds } from '../../../test/support/rounds.ts'
import type { QuarantinedEntry } from '../../catalog/quarantine.ts'
import type { RejectedRow } from '../../catalog/rejected.ts'
import { type PlacedEntry, positionAfter } from '../../journal/journal.ts'
import type { Ingest } from '../../model/ingest.ts'
import { ItemValidator } from '../item-validator.ts'
import { Pipeline, type PipelineParts } from '../pipeline.ts'
import { encodeReplayedRows } from '../replay/replayed-rows.ts'
import { RowValidator } from '../row-validator.ts'
import type { ValidationNote } from './validation-notes.ts'

const metadata: Ingest = {
  ...series,
  id: 2,
  kind: 'metadata',
  entity: 'table',
  entityId: 2,
  fields: [
    { name: 'id', source: 'D', type: 'long', role: 'index' },
    { name: 'T', source: 'T', type: 'string', role: 'attribute' },
    { name: 'V', source: 'V', type: 'double', role: 'attribute' },
  ],
}

/** When a row ends the validator: during validation, while it is kept with its text, after it is kept, or never. */
type Fate = 'validated' | 'kept' | 'behind' | 'none'

const rowText = (position: number, fate: Fate, isGood: boolean): string =>
  isGood ? `{"D":${position},"T":"${fate}","V":1}` : `"${fate} ${position}"`

interface Push {
  readonly ingestId: number
  readonly rows: readonly { readonly fate: Fate; readonly isGood: boolean }[]
}

function entriesOf(pushes: readonly Push[]): readonly PlacedEntry[] {
  const entries: PlacedEntry[] = []
  let position = 0
  for (const { ingestId, rows } of pushes) {
    const first = position
    const texts = rows.map(({ fate, isGood }, index) => rowText(first + index, fate, isGood))
    const header = { ingestId, fieldsVersion: 1, subscriberId: 1, receivedMs: 0, idempotencyKey: null }
    const body = Buffer.from(`[${texts.join()}]`)
    entries.push({ ...header, format: 'json', position, rows: rows.length, body })
    position = positionAfter(entries.at(-1)!)
  }
  return entries
}

class Death extends Error {}

interface WorldOptions {
  readonly stepRows: number
  /** A planted bug: the decision is used before it is stored. */
  readonly forgetsDecisions?: boolean
  /** Every death of the validator ends its process too, so no note is written afterwards. */
  readonly killsProcess?: boolean
}

/** The state that outlives the validator, and one life of it. */
class World {
  readonly stored = new Map<number, number>()
  readonly rejected = new Map<number, RejectedRow>()
  readonly items = new Set<number>()
  readonly quarantined = new Map<number, QuarantinedEntry>()
  readonly #entries: readonly PlacedEntry[]
  readonly #options: WorldOptions
  #note: ValidationNote | null = null
  #validatedPosition = 0
  #isDead = false
  #notesLeft = Number.POSITIVE_INFINITY
  deaths = 0

  constructor(entries: readonly PlacedEntry[], options: WorldOptions) {
    this.#entries = entries
    this.#options = options
  }

  get end(): number {
    return positionAfter(this.#entries.at(-1)!)
  }

  /** True when it reaches the end of the journal. */
  async live(steps = Number.POSITIVE_INFINITY): Promise<boolean> {
    this.stored.clear()
    this.#isDead = false
    try {
      const pipeline = await Pipeline.open(this.#parts())
      for (let step = 0; step < steps; step++) {
        if (pipeline.position >= this.end) return true
        await pipeline.advance(this.end, () => undefined)
      }
      return false
    } catch (error) {
      if (!(error instanceof Death)) throw error
      this.deaths++
      return false
    }
  }

  /** Another process kills its process, after the given number of notes in a life. */
  async killAfter(notes: number): Promise<boolean> {
    this.#notesLeft = notes
    const isDone = await this.live()
    this.#notesLeft = Number.POSITIVE_INFINITY
    return isDone
  }

  #death(): Death {
    this.#isDead = this.#options.killsProcess === true
    return new Death()
  }

  #parts(): PipelineParts {
    const validator = new RowValidator({ rowBytes: 1000 })
    const itemValidator = new ItemValidator({ rowBytes: 1000 })
    return {
      journal: {
        read: async (position, until) =>
          this.#entries.filter((one) => positionAfter(one) > position && one.position < until),
      },
      ingests: { findVersion: async (id) => (id === 1 ? series : metadata) },
      dropped: { list: async () => [] },
      outcomes: {
        add: async ({ rejected, items }, through) => {
          if (rejected.some(({ row }) => row.includes('kept'))) throw this.#death()
          for (const row of rejected) if (!this.rejected.has(row.position)) this.rejected.set(row.position, row)
          for (const { position } of items) this.items.add(position)
          this.#validatedPosition = Math.max(this.#validatedPosition, through)
          if (rejected.some(({ row, code }) => row.includes('behind') && code !== 'not_validated')) throw this.#death()
        },
        replay: async () => {
          throw this.#death()
        },
        validatedPosition: async () => this.#validatedPosition,
        rejectedIn: async (ingestId, from, end) =>
          [...this.rejected.values()]
            .filter((row) => row.ingestId === ingestId && row.position >= from && row.position < end)
            .map(({ position }) => position),
      },
      validator: {
        validate: (run, ingest, from, budget) => {
          const validated = validator.validate(run, ingest, from, budget)
          const column = validated.batch?.columns[1]
          const tags = column?.type === 'string' ? [...column.codes].map((code) => column.dictionary[code]) : []
          const texts = validated.rejected.map(({ row }) => row)
          if ([...tags, ...texts].some((text) => text?.startsWith('validated') || text?.startsWith('"validated'))) {
            throw this.#death()
          }
          return validated
        },
      },
      itemValidator,
      store: {
        position: 0,
        write: ({ positions }) => {
          for (const position of positions) this.stored.set(position, (this.stored.get(position) ?? 0) + 1)
        },
      },
      notes: {
        read: async () => this.#note,
        write: async (note) => {
          if (this.#isDead) return
          this.#note = structuredClone(note)
          if (--this.#notesLeft > 0) return
          this.#isDead = true
          throw new Death()
        },
      },
      quarantine: {
        list: async () => [...this.quarantined.values()],
        add: async (entry, body) => {
          const known = this.quarantined.get(entry.position)
          const kept = known ?? { ...entry, bodyBytes: body.length, isReleased: false }
          if (!this.#options.forgetsDecisions) this.quarantined.set(entry.position, { ...kept, level: entry.level })
        },
      },
      nowMs: () => 0,
      observe: () => undefined,
      reach: () => undefined,
      stepBytes: 1 << 20,
      stepRows: this.#options.stepRows,
    }
  }
}

/** Restarts until everything is validated, and returns the number of lives; null when that exceeds `livesMax`. */
async function liveOn(world: World, livesMax: number): Promise<number | null> {
  for (let lives = 1; lives <= livesMax; lives++) if (await world.live()) return lives
  return null
}

const good = { fate: 'none', isGood: true } as const
const bad = { fate: 'none', isGood: false } as const
const ends = (fate: Fate, isGood = false) => ({ fate, isGood })

describe('an entry that crashes the validator', () => {
  test.each<[what: string, pushes: Push[], stepRows: number, deaths: number, quarantined: [number, number, number][]]>([
    ['no such entry', [{ ingestId: 1, rows: [good, bad] }], 9, 0, []],
    ['alone', [{ ingestId: 1, rows: [ends('validated', true), good] }], 9, 2, [[0, 0, 1]]],
    [
      'among others of its step',
      [
        { ingestId: 1, rows: [good, bad] },
        { ingestId: 1, rows: [good, ends('validated')] },
        { ingestId: 1, rows: [good] },
      ],
      9,
      2,
      [[2, 2, 1]],
    ],
    [
      'in the middle of a large push',
      [{ ingestId: 1, rows: [good, bad, good, ends('validated'), good] }],
      1,
      2,
      [[0, 3, 1]],
    ],
    [
      'by the stored text of a row, also when it is quarantined',
      [{ ingestId: 1, rows: [good, ends('kept')] }],
      1,
      4,
      [[0, 1, 2]],
    ],
    ['only after its rejected rows were stored', [{ ingestId: 1, rows: [bad, ends('behind'), good] }], 2, 1, []],
    [
      'two entries, of different kinds',
      [
        { ingestId: 2, rows: [good, ends('kept')] },
        { ingestId: 1, rows: [ends('validated', true)] },
      ],
      1,
      6,
      [
        [0, 1, 2],
        [2, 2, 1],
      ],
    ],
  ])('restarts reach the end of the journal: %s', async (_, pushes, stepRows, deaths, quarantined) => {
    const world = new World(entriesOf(pushes), { stepRows })
    expect(await liveOn(world, 20)).toBe(deaths + 1)
    expect([...world.quarantined.values()].map((one) => [one.position, one.fromPosition, one.level])).toEqual(
      quarantined,
    )
  })

  test.each<[what: string, pushes: Push[], stepRows: number, kills: number, quarantined: [number, number, number][]]>([
    ['alone', [{ ingestId: 1, rows: [ends('validated', true), good] }], 9, 6, [[0, 0, 1]]],
    [
      'among others of its step',
      [
        { ingestId: 1, rows: [good, bad] },
        { ingestId: 1, rows: [good, ends('validated')] },
      ],
      9,
      6,
      [[2, 2, 1]],
    ],
    ['also when it is quarantined', [{ ingestId: 1, rows: [good, ends('kept')] }], 9, 12, [[0, 0, 2]]],
  ])('restarts reach the end when it kills its process too: %s', async (_, pushes, stepRows, kills, quarantined) => {
    const world = new World(entriesOf(pushes), { stepRows, killsProcess: true })
    expect(await liveOn(world, 30)).toBe(kills + 1)
    expect([...world.quarantined.values()].map((one) => [one.position, one.fromPosition, one.level])).toEqual(
      quarantined,
    )
  })

  test('a harmless entry is not quarantined when its process is killed again and again during it', async () => {
    const rows = Array.from({ length: 400 }, () => good)
    const world = new World(entriesOf([{ ingestId: 1, rows }]), { stepRows: 300 })
    for (let kills = 0; kills < 40; kills++) await world.killAfter(1 + 2 * (kills % 4))
    expect(await liveOn(world, 1)).toBe(1)
    expect(world.quarantined.size).toBe(0)
    expect(world.stored.size).toBe(400)
  })

  test('a replay is quarantined, and its rows stay rejected', async () => {
    const body = encodeReplayedRows([{ position: 0, text: Buffer.from(rowText(0, 'none', true)) }])
    const entries = entriesOf([{ ingestId: 1, rows: [bad] }])
    const world = new World([...entries, { ...entries[0]!, format: 'replay', position: 1, rows: 0, body }], {
      stepRows: 9,
    })
    expect(await liveOn(world, 5)).toBe(3)
    expect([...world.rejected.keys()]).toEqual([0])
  })
})

const anyPush: fc.Arbitrary<Push> = fc.record({
  ingestId: fc.constantFrom(1, 1, 2),
  rows: fc.array(
    fc.record({
      fate: fc.oneof(
        { weight: 8, arbitrary: fc.constant<Fate>('none') },
        { weight: 1, arbitrary: fc.constantFrom<Fate>('validated', 'kept', 'behind') },
      ),
      isGood: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
})

/** Each row has exactly one outcome. Only entries that ended the validator have unvalidated rows; the other rejected rows are exactly the bad ones. */
function check(world: World, pushes: readonly Push[]): void {
  const entries = entriesOf(pushes)
  for (const [place, { position, rows }] of entries.entries()) {
    const isPoison = pushes[place]!.rows.some(({ fate }) => fate !== 'none')
    for (let index = 0; index < rows; index++) {
      const row = position + index
      const places = [world.stored.get(row) ?? 0, Number(world.items.has(row)), Number(world.rejected.has(row))]
      expect(places.reduce((sum, count) => sum + count, 0)).toBe(1)
      const isUnvalidated = world.rejected.get(row)?.code === 'not_validated'
      if (isUnvalidated) expect(isPoison).toBe(true)
      else expect(world.rejected.has(row)).toBe(!pushes[place]!.rows[index]!.isGood)
    }
  }
}

describe('whatever crashes the validator', () => {
  const anyLives = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 6 })

  test('it reaches the end of the journal, and each row is stored or rejected exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyPush, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        anyLives,
        fc.boolean(),
        async (pushes, stepRows, lives, killsProcess) => {
          const world = new World(entriesOf(pushes), { stepRows, killsProcess })
          // It may also be ended for other reasons, between two steps.
          for (const steps of lives) await world.live(steps)
          expect(await liveOn(world, 600)).not.toBeNull()
          check(world, pushes)
          // And again, from the beginning.
          expect(await world.live()).toBe(true)
          check(world, pushes)
        },
      ),
      { numRuns: rounds(400) },
    )
  })

  test('a validator that does not record its quarantined entries never reaches the end', async () => {
    const world = new World(entriesOf([{ ingestId: 1, rows: [ends('validated', true)] }]), {
      stepRows: 1,
      forgetsDecisions: true,
    })
    expect(await liveOn(world, 200)).toBeNull()
  })
})

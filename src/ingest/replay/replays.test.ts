import { describe, expect, test } from 'vitest'
import type { RejectedRow } from '../../catalog/rejected.ts'
import type { JournalEntry } from '../../journal/journal.ts'
import type { Ingest } from '../../model/ingest.ts'
import { decodeReplayedRows } from './replayed-rows.ts'
import { Replays, type ValidatedAgain } from './replays.ts'

const ingest: Ingest = {
  id: 1,
  alias: 'a',
  kind: 'series',
  entity: 'a',
  entityId: 1,
  fields: [],
  fieldsVersion: 2,
  duplicates: 'keep',
  state: 'active',
  reason: null,
  createdMs: 0,
}

const rejectedAt = (position: number): RejectedRow => ({
  ingestId: 1,
  position,
  batchPosition: 0,
  batchRows: 10,
  subscriberId: 1,
  index: position,
  row: `{"at":${position}}`,
  field: 'W',
  code: 'unknown_field',
  message: 'W: the ingest has no such field',
  receivedMs: 0,
})

/** Rows at even positions pass when they are validated again. Validation waits until `validate` is called. */
class World {
  readonly states = new Map<number, 'kept' | 'discarded' | 'stored'>()
  readonly waitedFor: ValidatedAgain[] = []
  isLettingGo = false
  readonly replays: Replays
  readonly #journal: JournalEntry[] = []
  #validated = 0
  #waiters: (() => void)[] = []

  constructor(rows: number) {
    for (let position = 0; position < rows; position++) this.states.set(position, 'kept')
    this.replays = new Replays({
      rejected: {
        list: async (_, { positions, afterPosition, limit }) => {
          const left = this.#in('kept').filter(
            (position) => position > afterPosition && (positions?.includes(position) ?? true),
          )
          return { rows: left.slice(0, limit).map(rejectedAt), after: left.length > limit ? left[limit - 1]! : null }
        },
        fates: async (_, positions) => {
          const count = (state: string): number => positions.filter((one) => this.states.get(one) === state).length
          return { stored: count('stored'), rejected: count('kept') }
        },
      },
      quarantine: { list: async () => [], bodyPart: async () => null },
      journaled: async () => undefined,
      journal: { append: async (entry) => this.#journal.push(entry) - 1 },
      progress: { waitFor: (position, signal) => this.#waitFor(position, signal) },
      isQueryable: async (rows) => {
        this.waitedFor.push(rows)
      },
      isRemovingExpired: () => this.isLettingGo,
      nowMs: () => 0,
      reach: () => undefined,
    })
  }

  /** Validates everything in the journal. */
  validate(): void {
    for (; this.#validated < this.#journal.length; this.#validated++) {
      for (const { position } of decodeReplayedRows(this.#journal[this.#validated]!.body)) {
        if (position % 2 === 0 && this.states.get(position) === 'kept') this.states.set(position, 'stored')
      }
    }
    for (const wake of this.#waiters.splice(0)) wake()
  }

  /** Resolves when the journal contains this number of replays. */
  async journaled(entries: number): Promise<void> {
    while (this.#journal.length < entries) await new Promise((resolve) => setImmediate(resolve))
  }

  #in(wanted: string): readonly number[] {
    return [...this.states].filter(([, state]) => state === wanted).map(([position]) => position)
  }

  async #waitFor(position: number, signal: AbortSignal): Promise<void> {
    while (this.#validated < position) {
      await new Promise<void>((resolve, reject) => {
        this.#waiters.push(resolve)
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    }
  }
}

const nobodyLeaves = new AbortController().signal

/** Requests a replay and disconnects when it is in the journal and not yet validated. */
async function replayAndLeave(world: World, journaled: number): Promise<void> {
  const caller = new AbortController()
  const left = world.replays.replay(ingest, null, caller.signal)
  await world.journaled(journaled)
  caller.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
}

describe('a replay', () => {
  test('returns how many rows it stored and how many are still rejected', async () => {
    const world = new World(5)
    const replay = world.replays.replay(ingest, null, nobodyLeaves)
    await world.journaled(1)
    world.validate()
    expect(await replay).toEqual({ replayed: 5, stored: 3, rejected: 2 })
  })

  test('repeated after its client disconnected counts rows stored by the first replay as stored', async () => {
    const world = new World(5)
    await replayAndLeave(world, 1)
    const again = world.replays.replay(ingest, null, nobodyLeaves)
    await world.journaled(2)
    world.validate()
    expect(await again).toEqual({ replayed: 5, stored: 3, rejected: 2 })
    // The second replay waits for the first one's rows as if they were its own.
    expect(world.waitedFor).toEqual([{ ingest, positions: [0, 1, 2, 3, 4], stored: 3 }])
  })

  test('does not count rows that were discarded before they were validated', async () => {
    const world = new World(4)
    const replay = world.replays.replay(ingest, [0, 1, 2], nobodyLeaves)
    await world.journaled(1)
    world.states.set(0, 'discarded')
    world.states.set(1, 'discarded')
    world.validate()
    expect(await replay).toEqual({ replayed: 1, stored: 1, rejected: 0 })
  })

  test('is refused as unavailable while rows replaced by hours are being removed', async () => {
    const world = new World(4)
    world.isLettingGo = true
    await expect(world.replays.replay(ingest, null, nobodyLeaves)).rejects.toMatchObject({ code: 'unavailable' })
    expect([...world.states.values()]).toEqual(['kept', 'kept', 'kept', 'kept'])
  })

  test('processes many rows page by page', async () => {
    const world = new World(1200)
    const replay = world.replays.replay(ingest, null, nobodyLeaves)
    for (const page of [1, 2, 3]) {
      await world.journaled(page)
      world.validate()
    }
    expect(await replay).toEqual({ replayed: 1200, stored: 600, rejected: 600 })
  })
})

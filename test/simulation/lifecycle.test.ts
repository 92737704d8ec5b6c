import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { IngestCatalog, OutcomeCatalog, ReplayOutcome } from '../../src/catalog/catalog.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { SeriesWriter } from '../../src/store/series-store.ts'
import { rounds } from '../support/rounds.ts'
import { type LifecycleSabotage, runLifecycleHistory } from './lifecycle-history.ts'
import { changed, firstFault, withFiles } from './sabotage.ts'
import type { EventCounts } from './service-history.ts'

const histories = Number(process.env['TIDEMARK_SIMULATION_HISTORIES'] ?? 40)
const first = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)
/** A planted fault must be found within this number of histories. */
const canaryHistories = 200

// Paced work reads this clock. It stands still, so that a seed always gives the same history.
beforeAll(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterAll(() => void vi.useRealTimers())

test('a seed always gives the same history', async () => {
  const run = async (): Promise<EventCounts> => {
    const happenings: EventCounts = new Map()
    for (let seed = first; seed < first + rounds(10); seed++) await runLifecycleHistory(seed, {}, happenings)
    return happenings
  }
  expect(await run()).toEqual(await run())
}, 600_000)

test('replays, discards, drops and expirations are applied exactly once despite crashes', async () => {
  const happenings: EventCounts = new Map()
  const fault = await firstFault({ first, count: histories }, (seed) => runLifecycleHistory(seed, {}, happenings))
  expect(fault).toBeNull()
  // Histories in which little happens prove little.
  const requested = ['replay', 'discard', 'retention', 'dropped', 'field added', 'repeated push']
  for (const kind of [
    ...requested,
    'rowsReplayed',
    'expiredFilesDeleted',
    'sealed',
    'merged',
    'journalTrimmed',
    'crash',
  ])
    expect(happenings.get(kind), kind).toBeGreaterThan(0)
}, 3_600_000)

type Plant = () => LifecycleSabotage
/** The first seed of a canary is shortly before the one whose history shows the fault. */
type Canary = [name: string, plant: Plant, firstSeed?: number]

test.each<Canary>([
  ['applies a replay twice', () => ({ writer: writtenTwice })],
  [
    'does not record the rows that a replay stores',
    replay(async ({ passed }) => ({ stored: passed, taken: passed.length })),
  ],
  [
    'removes rows from the rejected rows without storing them',
    replay(async (outcome, outcomes) => {
      await outcomes.replay(outcome)
      return { stored: [], taken: 0 }
    }),
  ],
  ['expires rows before the retention is recorded', eagerRetention, 11],
  [
    'returns expired rows again',
    () => ({ retainedBy: (store) => ({ changed: () => store.changed(), purge: async () => undefined }) }),
    22,
  ],
  [
    'forgets dropped entities',
    () => ({ catalog: (catalog) => ({ ...catalog, dropped: { ...catalog.dropped, list: async () => [] } }) }),
    30,
  ],
  [
    'forgets idempotency keys when the journal is trimmed',
    () => ({ keys: (keys) => changed(keys, { beforeTrim: async () => undefined }) }),
  ],
  [
    'never fsyncs the files of idempotency keys',
    () => ({ disk: withFiles((_, path) => (path.startsWith('/data/keys') ? { sync: async () => undefined } : {})) }),
  ],
])(
  'the same check detects a service that %s',
  async (_, plant, firstSeed = 1) => {
    const run = (seed: number): Promise<void> => runLifecycleHistory(seed, plant())
    expect(await firstFault({ first: firstSeed, count: canaryHistories }, run)).not.toBeNull()
  },
  600_000,
)

/** Writes rows of a replay twice. They are recognized by their positions, which are those of older pushes. */
function writtenTwice(store: EmbeddedStore): SeriesWriter {
  let endPosition = 0
  return {
    get position() {
      return store.position
    },
    write: (batch) => {
      store.write(batch)
      if (batch.positions[0]! < endPosition) store.write(batch)
      endPosition = Math.max(endPosition, batch.positions.at(-1)! + 1)
    },
  }
}

function replay(
  planted: (outcome: ReplayOutcome, outcomes: OutcomeCatalog) => ReturnType<OutcomeCatalog['replay']>,
): Plant {
  return () => ({
    catalog: ({ outcomes, ...catalog }) => ({
      ...catalog,
      outcomes: changed(outcomes, { replay: (outcome) => planted(outcome, outcomes) }),
    }),
  })
}

/** Notifies the store a while before the change is on the catalog's disk, which fails every other time. */
function eagerRetention(): LifecycleSabotage {
  let sinceMs: number | null | undefined
  let changes = 0
  return {
    operator: (operator, report) => {
      sinceMs = undefined
      const retain: IngestCatalog['retain'] = async (entityId, retention, known) => {
        sinceMs = retention.sinceMs
        report()
        for (let turns = 0; turns < 100; turns++) await setImmediate()
        if (changes++ % 2 === 0) throw new Error('EIO: simulated')
        return operator.ingests.retain(entityId, retention, known)
      }
      return { ...operator, ingests: { ...operator.ingests, retain } }
    },
    catalog: ({ ingests, ...catalog }) => {
      const entities: IngestCatalog['entities'] = async () => {
        const known = await ingests.entities()
        return known.map((one) => (one.id === 1 && sinceMs !== undefined ? { ...one, sinceMs } : one))
      }
      return { ...catalog, ingests: { ...ingests, entities } }
    },
  }
}

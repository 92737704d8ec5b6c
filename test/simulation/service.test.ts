import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ManifestChange } from '../../src/catalog/manifest.ts'
import { rounds } from '../support/rounds.ts'
import { changed, firstFault, withFiles } from './sabotage.ts'
import { type EventCounts, runServiceHistory } from './service-history.ts'
import type { Sabotage } from './simulated-thread.ts'

const histories = Number(process.env['TIDEMARK_SIMULATION_HISTORIES'] ?? rounds(100))
const first = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)
/** A planted fault must be found within this number of histories. */
const canaryHistories = 100

// Paced work reads this clock. It stands still, so that a seed always gives the same history.
beforeAll(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterAll(() => void vi.useRealTimers())

const isSealed = (path: string): boolean => path.startsWith('/data/store/') && !path.endsWith('.log')

/** Changes the fsyncs of one kind of the store's files. */
function syncs(isOne: (path: string) => boolean, sync: (real: () => Promise<void>) => Promise<void>): Sabotage {
  return { disk: withFiles((file, path) => (isOne(path) ? { sync: () => sync(() => file.sync()) } : {})) }
}

async function later(work: () => Promise<void>): Promise<void> {
  for (let turns = 0; turns < 30; turns++) await setImmediate()
  await work().catch(() => undefined)
}

test('a seed always gives the same history', async () => {
  const run = async (): Promise<EventCounts> => {
    const happenings: EventCounts = new Map()
    for (let seed = first; seed < first + rounds(10); seed++) await runServiceHistory(seed, {}, happenings)
    return happenings
  }
  expect(await run()).toEqual(await run())
})

test('acknowledged rows are queryable exactly once despite crashes, kills and lost files', async () => {
  const happenings: EventCounts = new Map()
  const fault = await firstFault({ first, count: histories }, (seed) => runServiceHistory(seed, {}, happenings))
  expect(fault).toBeNull()
  // Histories in which little happens prove little.
  for (const kind of [
    'sealed',
    'merged',
    'journalTrimmed',
    'sealFailed',
    'orphansRemoved',
    'crash',
    'kill',
    'lost file',
  ])
    expect(happenings.get(kind), kind).toBeGreaterThan(0)
}, 3_600_000)

// The first seed of a canary is shortly before the one whose history shows the fault.
test.each<[name: string, sabotage: Sabotage, firstSeed?: number]>([
  ['never fsyncs sealed files', syncs(isSealed, async () => undefined)],
  ['commits the manifest before its files are durable', syncs(isSealed, async (real) => void later(real))],
  [
    'commits the manifest before the names of its files are durable',
    {
      disk: (disk) =>
        changed(disk, {
          syncDirectory: async (path) => (path.startsWith('/data/store') ? undefined : disk.syncDirectory(path)),
        }),
    },
  ],
  [
    'never fsyncs the registry',
    syncs(
      (path) => path.endsWith('series.log'),
      async () => undefined,
    ),
  ],
  [
    'trims the journal before the manifest is committed',
    { reach: (step, trim) => void (step === 'seal-frozen' ? trim() : undefined) },
  ],
  [
    'commits files without the position of their seal',
    {
      manifest: (manifest) =>
        changed(manifest, { commit: (change: ManifestChange) => manifest.commit({ ...change, seal: null }) }),
    },
  ],
  [
    'does not record the end of the journal',
    {
      manifest: (manifest) =>
        changed(manifest, {
          commit: ({ seal, ...change }: ManifestChange) =>
            manifest.commit({ ...change, seal: seal && { ...seal, journalEnd: 0 } }),
          noteJournalEnd: async () => undefined,
        }),
    },
    11,
  ],
  [
    'records only one of the registries that grew',
    {
      manifest: (manifest) =>
        changed(manifest, {
          commit: (change: ManifestChange) => manifest.commit({ ...change, registries: change.registries.slice(-1) }),
        }),
    },
  ],
  [
    'sometimes writes a batch twice',
    {
      writer: (store) => ({
        get position() {
          return store.position
        },
        write: (batch) => {
          store.write(batch)
          if (batch.positions[0]! % 50 === 7) store.write(batch)
        },
      }),
    },
  ],
])('the same check detects a service that %s', async (_, sabotage, firstSeed = 1) => {
  const fault = await firstFault({ first: firstSeed, count: canaryHistories }, (seed) =>
    runServiceHistory(seed, sabotage),
  )
  expect(fault).not.toBeNull()
})

import { expect, test } from 'vitest'
import type { Disk } from '../../src/lib/disk.ts'
import { rounds } from '../support/rounds.ts'
import { runHistory } from './journal-history.ts'
import { changed, firstFault, withFiles } from './sabotage.ts'

const histories = Number(process.env['TIDEMARK_SIMULATION_HISTORIES'] ?? rounds(300))
const first = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)
/** A planted fault must be found within this number of histories. */
const canaryHistories = 100

test('acknowledged entries are stored exactly once, in order and complete, despite faults', async () => {
  expect(await firstFault({ first, count: histories }, (seed) => runHistory(seed, (disk) => disk))).toBeNull()
}, 3_600_000)

test.each<[string, (disk: Disk) => Disk]>([
  ['never fsyncs files', withFiles(() => ({ sync: async () => {} }))],
  ['acknowledges before the fsync', withFiles((file) => ({ sync: async () => void file.sync().catch(() => {}) }))],
  ['never fsyncs large records', withFiles((_, path) => (path.endsWith('.apart') ? { sync: async () => {} } : {}))],
  ['never fsyncs folders', (disk) => changed(disk, { syncDirectory: async () => {} })],
  ['does not truncate torn tails', withFiles(() => ({ truncate: async () => {} }))],
  [
    'acknowledges half a write',
    withFiles((file) => ({ write: (buffers, offset) => file.write(buffers.slice(0, -1), offset) })),
  ],
])('the same check detects a journal that %s', async (_, sabotage) => {
  expect(await firstFault({ first: 1, count: canaryHistories }, (seed) => runHistory(seed, sabotage))).not.toBeNull()
})

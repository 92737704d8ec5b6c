import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inScratchFolder } from '../../test/support/scratch-folder.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { LiveCheckpoints } from './live-checkpoints.ts'

test.each([0, 60_000])('a reader begins after an earlier one failed to on a full disk, with liveKeepMs %d', (keepMs) =>
  inScratchFolder('tidemark-live-', async (directory) => {
    let failures = 1
    const disk = {
      ...nodeDisk,
      rename: async (from: string, to: string): Promise<void> => {
        if (failures-- > 0) throw new Error('the disk is full')
        await nodeDisk.rename(from, to)
      },
    }
    const positions = await LiveCheckpoints.open({
      ...{ disk, path: join(directory, 'live.json'), keepMs, sealedPosition: 0, position: () => 0 },
      journal: { firstPosition: 0, durablePosition: 0 },
      cursor: { read: async () => [], close: async () => undefined },
      ingests: { findVersion: async () => null },
      deletions: { lastChange: async () => 0, hasChanged: async () => false, forgetChanges: async () => undefined },
      observe: () => undefined,
      nowMs: () => 0,
    })
    await expect(positions.begin()).rejects.toThrow('the disk is full')
    await positions.begin()
    expect(await positions.startOf(7, positions.idOf(7, '0.0'))).not.toBeNull()
  }),
)

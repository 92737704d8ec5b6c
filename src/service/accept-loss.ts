// Lets an operator continue without pushes that were acknowledged and are lost. The journal records their positions, so that no other
// row gets them.

import { acknowledgedPositionOf } from '../catalog/acknowledged-position.ts'
import { takeOwnership } from '../catalog/sqlite/owner-lock.ts'
import { requireCatalog, requireDataFolder } from '../catalog/sqlite/require-catalog.ts'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import { dataPaths } from '../config/data-paths.ts'
import type { Settings } from '../config/settings.ts'
import { requireJournal } from '../journal/file/require-journal.ts'
import type { LocalJournalWriter } from '../journal/journal.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { openJournal, openKeys } from './open-storage.ts'

/** The positions of the rows that are given up: from `from` to `until` (exclusive). */
export interface Loss {
  readonly from: number
  readonly until: number
}

type LossSettings = Pick<Settings, 'data' | 'journal' | 'limits'>

/** The most positions that one record covers. */
const positionsMax = 2 ** 32 - 1

/**
 * Gives up rows that were acknowledged and are missing from the journal; null when none is missing. Throws an Error when a service uses the folder, or when
 * its contents are damaged.
 */
export async function acceptLoss(settings: LossSettings, nowMs: () => number): Promise<Loss | null> {
  const { data } = settings
  const paths = dataPaths(data)
  await requireDataFolder(data, paths, nodeDisk)
  const ownership = takeOwnership(data)
  try {
    await requireCatalog(paths, nodeDisk)
    const catalog = await openSqliteCatalog({ path: paths.catalog })
    try {
      const { sealedPosition } = await catalog.manifest.load()
      const until = Math.max(sealedPosition, (await acknowledgedPositionOf(catalog)) ?? 0)
      const known = { sealedPosition, acknowledgedPosition: null }
      const journal = await openJournal(settings, paths.journal, known, () => undefined, nodeDisk)
      try {
        requireJournal(journal, sealedPosition, paths.journal)
        const from = journal.durablePosition
        await forgetKeys(settings, journal, nowMs)
        await giveUp(journal, until, nowMs())
        await catalog.manifest.noteJournalEnd(journal.durablePosition)
        return from < until ? { from, until } : null
      } finally {
        await journal.close()
      }
    } finally {
      await catalog.close()
    }
  } finally {
    ownership.release()
  }
}

/** A lost push may be sent again, so its key is forgotten. */
async function forgetKeys(settings: LossSettings, journal: LocalJournalWriter, nowMs: () => number): Promise<void> {
  const keys = await openKeys({ settings, nowMs, disk: nodeDisk }, journal)
  await keys.close()
}

async function giveUp(journal: LocalJournalWriter, until: number, receivedMs: number): Promise<void> {
  const none = { ingestId: 0, fieldsVersion: 0, subscriberId: 0, idempotencyKey: null, body: new Uint8Array() }
  for (let left = until - journal.durablePosition; left > 0; left = until - journal.durablePosition)
    await journal.append({ ...none, format: 'lost', rows: Math.min(left, positionsMax), receivedMs })
}

import { Backups } from '../admin/backups.ts'
import { backupDirectory, dataPaths } from '../config/data-paths.ts'
import { openFileJournalCursor } from '../journal/file/file-journal-cursor.ts'
import { openJournalCopy } from '../journal/file/journal-copy.ts'
import { holdAll } from '../lib/held.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { copyCatalog, storedFiles } from './copied-data.ts'
import type { Storage, StorageParts } from './open-storage.ts'

/** Opens the backups, and removes the remains of those that a crash interrupted. */
export async function openBackups(
  { settings, observe, nowMs, reach, disk }: StorageParts,
  { catalog, journal, trimmer, keys, store }: Storage,
): Promise<Backups> {
  const paths = dataPaths(settings.data)
  const ownerId = await catalog.secrets.secret('backup-owner')
  const { segmentBytes, batchBytes: batchBytesMax } = settings.journal
  const backups = new Backups({
    disk,
    dataDirectory: settings.data,
    directory: backupDirectory(settings),
    ownerName: Buffer.from(ownerId.subarray(0, 6)).toString('hex'),
    hold: () => holdAll([() => trimmer.hold(), () => store.hold()]),
    durablePosition: () => journal.durablePosition,
    copyCatalog: (path) => copyCatalog(paths.catalog, path),
    storedFiles,
    keepKeys: async (position) => {
      await keys.beforeTrim(position)
      return (await nodeDisk.list(paths.idempotency)).map((name) => `idempotency/${name}`)
    },
    readJournal: () => openFileJournalCursor({ disk: nodeDisk, directory: paths.journal }),
    newJournal: (directory, position) =>
      openJournalCopy({ disk, directory, settings: { segmentBytes, batchBytesMax }, reachedPosition: position }),
    journalReadBytes: settings.journal.batchBytes,
    reach,
    observe,
    nowMs,
  })
  await backups.removeUnfinished()
  return backups
}

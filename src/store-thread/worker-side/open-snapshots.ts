import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Disk } from '../../lib/disk.ts'
import type { Observe } from '../../observe/event.ts'
import { Snapshots } from '../../store/embedded/deltas/snapshots.ts'
import type { OpenedStore } from '../../store/embedded/open-store.ts'
import type { StoreThreadData } from '../protocol.ts'

interface SnapshotSources extends Pick<OpenedStore, 'store' | 'folder'> {
  readonly disk: Disk
  readonly observe: Observe
}

/** The most files for one chunk of memory. */
const chunkFilesMax = 12

/** The longest that writing rows for the SQL engine may hold up other work. */
const snapshotSliceMs = 2

/** First empties the folder of files that an earlier generation wrote. */
export async function openSnapshots(
  { deltasDirectory }: StoreThreadData,
  { disk, store, folder, observe }: SnapshotSources,
): Promise<Snapshots> {
  // The engine has its own working folder, so it needs absolute paths.
  const directory = resolve(deltasDirectory)
  await disk.removeFolder(directory)
  await disk.makeDirectory(directory)
  return new Snapshots({
    store,
    folder: { disk, directory, newName: randomUUID, filesMax: chunkFilesMax },
    describe: (file) => {
      const { paths, fields } = folder.describe(file)
      return { path: resolve(paths.parquet), checkedBy: resolve(paths.index), fields }
    },
    sliceMs: snapshotSliceMs,
    removalFailed: (name, error) => observe({ kind: 'removalFailed', name, message: String(error) }),
  })
}

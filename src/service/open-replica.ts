import { join } from 'node:path'
import { dataPaths } from '../config/data-paths.ts'
import { holdAll } from '../lib/held.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { fixedMs, parseDuration } from '../model/duration.ts'
import type { Levels } from '../observe/metrics.ts'
import { Copier } from '../replica/copier.ts'
import { replicaMarkName } from '../replica/replica-mark.ts'
import { copyCatalog, storedFiles } from './copied-data.ts'
import { openObjectStore } from './open-object-store.ts'
import type { Closer, Storage, StorageParts } from './open-storage.ts'

/** Copies the data folder to its replica continuously; null where the settings name none. Throws an Error when the replica belongs to another folder. */
export async function openReplica(
  { settings, observe, nowMs, reach, wrapStore = (store) => store }: StorageParts,
  { catalog, journal, trimmer, keys, store }: Storage,
  closers: Closer[],
): Promise<Copier | null> {
  const { url, endpoint, region, keep, ...paces } = settings.replica
  const paths = dataPaths(settings.data)
  // The remains of a moment whose copy a crash interrupted.
  await nodeDisk.removeFolder(paths.replica)
  if (url === '') return null
  const copier = new Copier({
    settings: { ...paces, keepMs: fixedMs(parseDuration(keep)!) },
    store: wrapStore(await openObjectStore({ url, endpoint, region }, paces.requestMs)),
    disk: nodeDisk,
    markPath: join(settings.data, replicaMarkName),
    url,
    journal,
    journalDirectory: paths.journal,
    data: {
      dataDirectory: settings.data,
      scratchDirectory: paths.replica,
      hold: () => holdAll([() => trimmer.hold(), () => store.hold()]),
      copyCatalog: (path) => copyCatalog(paths.catalog, path),
      storedFiles,
      keepKeys: async (position) => {
        await keys.beforeTrim(position)
        return (await nodeDisk.list(paths.idempotency)).map((name) => `idempotency/${name}`)
      },
    },
    // Fields that rows have added are also changes: they are only in the catalog until a push names them.
    changes: () => catalog.changes() + store.fieldsMade.times,
    isChanging: catalog.isChanging,
    stored: () => store.state,
    mayTrim: () => trimmer.again(),
    nowMs,
    observe,
    reach,
  })
  closers.push(() => copier.close())
  trimmer.needs(() => copier.neededPosition)
  await copier.start()
  return copier
}

/** The levels that /metrics reports for the replica. */
export function replicaLevels(copier: Copier | null): Partial<Levels> {
  if (copier === null) return {}
  return {
    replica_position: () => copier.state.position,
    replica_lag_seconds: () => copier.state.lagMs / 1000,
    replica_lag_bytes: () => copier.state.lagBytes,
    replica_failing: () => (copier.state.error === null ? 0 : 1),
  }
}

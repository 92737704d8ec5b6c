// The work of the commands for replicas. They need no running service.

import type { Finding } from '../lib/finding.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import type { Reach } from '../observe/crash-point.ts'
import { type RestoredReplica, restoreReplica } from '../replica/restore-replica.ts'
import { isFinalForCommand, StoreAttempts } from '../replica/store-attempts.ts'
import { verifyReplica } from '../replica/verify-replica.ts'
import { openObjectStore, type ReplicaLocation } from './open-object-store.ts'

export interface ReplicaEvents {
  readonly reach: Reach
  /** Called with the bytes that are restored so far, and their total. */
  readonly progress: (done: number, total: number) => void
  /** Called with a failure of the store; the request is then sent again. */
  readonly failed: (message: string) => void
}

const requestMs = 60_000

function attemptOf(events: Pick<ReplicaEvents, 'failed'>) {
  const attempts = new StoreAttempts({
    requestMs,
    signal: new AbortController().signal,
    report: (failure) => {
      if (failure !== null) events.failed(failure)
    },
    isFinal: isFinalForCommand,
  })
  return <T>(work: () => Promise<T>): Promise<T> => attempts.until(work)
}

/** Restores a data folder from a replica. Throws `ReplicaDamaged`, `StoreRefused`, or an Error when the folder is not empty. */
export async function restoreFromReplica(
  { data, atMs, ...place }: ReplicaLocation & { readonly data: string; readonly atMs: number | null },
  events: ReplicaEvents,
): Promise<RestoredReplica> {
  const store = await openObjectStore(place, requestMs)
  try {
    const { reach, progress } = events
    return await restoreReplica(
      { data, atMs },
      { store, url: place.url, attempt: attemptOf(events), disk: nodeDisk, reach, progress },
    )
  } finally {
    store.close()
  }
}

/** Reads a replica as a restore would. Throws an Error when there is none. */
export async function* verifyReplicaAt(
  place: ReplicaLocation,
  events: Pick<ReplicaEvents, 'failed'>,
): AsyncGenerator<Finding> {
  const store = await openObjectStore(place, requestMs)
  try {
    yield* verifyReplica({ store, attempt: attemptOf(events) })
  } finally {
    store.close()
  }
}

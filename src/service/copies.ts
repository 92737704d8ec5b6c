// What the commands do with a copy; no service is asked.

import type { Finding } from '../lib/finding.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import type { Reach } from '../observe/crash-point.ts'
import { type RestoredCopy, restoreCopy } from '../replica/restore-copy.ts'
import { isFinalForCommand, StoreAttempts } from '../replica/store-attempts.ts'
import { verifyCopy } from '../replica/verify-copy.ts'
import { type CopyPlace, openObjectStore } from './open-object-store.ts'

export interface CopyTold {
  readonly reach: Reach
  /** So many bytes of so many are there. */
  readonly progress: (done: number, total: number) => void
  /** What the store failed with; it is asked again. */
  readonly failed: (message: string) => void
}

const requestMs = 60_000

function attemptOf(told: Pick<CopyTold, 'failed'>) {
  const attempts = new StoreAttempts({
    requestMs,
    signal: new AbortController().signal,
    told: (failure) => {
      if (failure !== null) told.failed(failure)
    },
    isFinal: isFinalForCommand,
  })
  return <T>(work: () => Promise<T>): Promise<T> => attempts.until(work)
}

/** Makes a data folder of a copy. Throws `CopyDamaged`, `StoreRefused`, or an Error when the folder holds something. */
export async function restoreFromCopy(
  { data, atMs, ...place }: CopyPlace & { readonly data: string; readonly atMs: number | null },
  told: CopyTold,
): Promise<RestoredCopy> {
  const store = await openObjectStore(place, requestMs)
  try {
    const { reach, progress } = told
    return await restoreCopy(
      { data, atMs },
      { store, url: place.url, attempt: attemptOf(told), disk: nodeDisk, reach, progress },
    )
  } finally {
    store.close()
  }
}

/** Reads a copy as a restore would. Throws an Error when there is none. */
export async function* verifyCopyAt(place: CopyPlace, told: Pick<CopyTold, 'failed'>): AsyncGenerator<Finding> {
  const store = await openObjectStore(place, requestMs)
  try {
    yield* verifyCopy({ store, attempt: attemptOf(told) })
  } finally {
    store.close()
  }
}

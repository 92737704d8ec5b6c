// A place that a folder's first replica cannot have is a mistake in the settings: who starts the service is there to mend it.
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreRefused } from '../object-store/object-store.ts'
import type { CopierParts } from './copier-parts.ts'
import { logName } from './replica-format.ts'
import { markedUrl, readReplicaMark } from './replica-mark.ts'

/** Stores refuse now and then what they take a moment later: rights that were given just now, say. */
const tries = 3
const pauseMs = 300
/** A start waits no longer for an answer. */
const answerMs = 5000

type Parts = Pick<CopierParts, 'store' | 'markPath' | 'url' | 'settings'>

/**
 * Throws an Error where no replica of the folder was ever made at the address, and the store refuses each time to be read there, as without its bucket or the
 * folder above it. What is only away is asked again by whoever takes the replica over.
 */
export async function requireLocationOfFirstUpload({ store, settings, ...parts }: Parts): Promise<void> {
  if (!(await isFirstUpload(parts))) return
  let refusal: StoreRefused | null = null
  for (let left = tries; left > 0; left--) {
    const given = new AbortController()
    const late = sleep(Math.min(settings.requestMs, answerMs), null, { signal: given.signal }).catch(() => null)
    try {
      await Promise.race([store.get(logName(0)), late])
      return
    } catch (error) {
      if (!(error instanceof StoreRefused)) return
      refusal = error
    } finally {
      given.abort()
    }
    if (left > 1) await sleep(pauseMs)
  }
  if (refusal !== null) throw noReplica(refusal)
}

async function isFirstUpload({ markPath, url }: Pick<Parts, 'markPath' | 'url'>): Promise<boolean> {
  // A mark that cannot be read is told by who takes the replica over.
  const mark = await readReplicaMark(markPath).catch(() => 'damaged' as const)
  if (mark === 'damaged') return false
  return mark === null || mark.token === '' || mark.url !== markedUrl(url)
}

function noReplica(cause: StoreRefused): Error {
  const why = /[.?!]$/.test(cause.message) ? cause.message : `${cause.message}.`
  return new Error(
    `No replica can be made at replica.url: ${why} Correct that, or leave replica.url out, and start the service again.`,
    { cause },
  )
}

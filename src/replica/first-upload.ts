// A location that cannot hold a folder's first replica is a configuration error, reported at the start while the operator is there to fix it.
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreRefused } from '../object-store/object-store.ts'
import type { CopierParts } from './copier-parts.ts'
import { logName } from './replica-format.ts'
import { markedUrl, readReplicaMark } from './replica-mark.ts'

/** Stores sometimes refuse requests that they accept a moment later, for example when permissions were granted just before. */
const tries = 3
const pauseMs = 300
/** The longest that a start waits for a response. */
const answerMs = 5000

type Parts = Pick<CopierParts, 'store' | 'markPath' | 'url' | 'settings'>

/**
 * Throws an Error when no replica of the folder was ever made at the address, and the store refuses every attempt to read there, for example
 * because its bucket or the parent folder is missing. A store that is only unreachable is retried when the replica is taken over.
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
  // A mark that cannot be read is reported when the replica is taken over.
  const mark = await readReplicaMark(markPath).catch(() => 'damaged' as const)
  if (mark === 'damaged') return false
  return mark === null || mark.token === '' || mark.url !== markedUrl(url)
}

function noReplica(cause: StoreRefused): Error {
  const why = /[.?!]$/.test(cause.message) ? cause.message : `${cause.message}.`
  return new Error(
    `A replica cannot be created at replica.url: ${why} Correct that, or leave replica.url out, and start the service again.`,
    { cause },
  )
}

// Why the store is unavailable, for requests during that time and for /readyz.
import { Problem } from '../../model/problem.ts'
import type { Awaited } from '../protocol.ts'

const isRestarting = 'The store is restarting: pushes are accepted, queries are not answered yet.'
const pushesMeanwhile = 'Pushes are accepted while there is space for them.'
const waits: Readonly<Record<Awaited, string>> = {
  space:
    'The store is starting and waits for space: the disk of the data folder is full, and rows must be written to files before more are read from the journal. ' +
    `Free some space there; queries are then answered again. ${pushesMeanwhile}`,
  disk:
    'The store is starting and waits for the disk of the data folder, which rejects writes: the log shows the error. ' +
    `Repair the disk; queries are then answered again. ${pushesMeanwhile}`,
}

interface StoreStart {
  /** Whether the store has been ready since the service started. */
  readonly wasReady: boolean
  readonly awaited: Awaited | null
  /** Rows of the journal that are not validated yet. */
  readonly rowsLeft: number
}

/** Why the store is not ready, as a sentence. */
export function unavailableReason({ wasReady, awaited, rowsLeft }: StoreStart): string {
  if (awaited !== null) return waits[awaited]
  if (wasReady) return isRestarting
  return `The store is starting: it has to read ${rowsLeft} more rows from the journal before it can answer queries. Pushes are accepted meanwhile.`
}

/** The error of requests while the store is not ready. */
export function storeUnavailable(reason: string): Problem {
  return new Problem('unavailable', `${reason} Retry in a moment.`)
}

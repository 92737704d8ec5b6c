// Problems with which an append is refused.
import { Problem } from '../../model/problem.ts'

const diskFullRetryAfterS = 5

export function backlogIsFull(pendingBytesMax: number): Problem {
  return new Problem(
    'overloaded',
    `More than ${pendingBytesMax} bytes wait to be written. Nothing was stored. Push again later.`,
  )
}

export function diskIsFull(): Problem {
  const detail = 'The disk is full. Nothing was stored. Push again once there is space.'
  return new Problem('overloaded', detail, { retryAfterS: diskFullRetryAfterS })
}

/** Omits the cause's text, which may contain paths; the operator finds it in the event. */
export function journalHasFailed(cause: unknown): Problem {
  const detail =
    'The journal could not be written to disk, and accepts no pushes until the service is restarted. Push again then, with the same Idempotency-Key if it has one.'
  return new Problem('unavailable', detail, { cause })
}

export function journalIsClosed(): Problem {
  return new Problem('shutting_down', 'The journal is closed. Push again when the service is back.')
}

import type { Observe } from './event.ts'

/** Reports a failed check; the check is repeated automatically. */
export function checkFailed(observe: Observe): (error: unknown) => void {
  return (error) => observe({ kind: 'checkFailed', message: String(error) })
}

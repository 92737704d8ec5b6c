import type { Observe } from './event.ts'

/** Tells of a check that failed; it is made again by itself. */
export function checkFailed(observe: Observe): (error: unknown) => void {
  return (error) => observe({ kind: 'checkFailed', message: String(error) })
}

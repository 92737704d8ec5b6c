// Whether the service can be reached. During an outage it is polled until it is back; then the displayed data is queried again.
import { serviceUrl } from '../session/session.ts'
import { storeOf } from './store.ts'

export const isAway = storeOf(false)
/** The number of times it came back. */
export const reconnects = storeOf(0)

const lookAgainMs = 1500

export function markUnreachable(): void {
  if (isAway.get()) return
  isAway.set(true)
  void lookForIt()
}

async function lookForIt(): Promise<void> {
  while (isAway.get()) {
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
    const answer = await fetch(`${serviceUrl}/healthz`, { cache: 'no-store' }).catch(() => null)
    if (answer?.ok !== true) continue
    isAway.set(false)
    reconnects.set(reconnects.get() + 1)
  }
}

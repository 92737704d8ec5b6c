// Whether the service can be reached. During an outage it is polled until it is back; then the displayed data is queried again.
import { serviceUrl } from '../session/session.ts'
import { storeOf } from './store.ts'

export const isUnreachable = storeOf(false)
/** The number of times it came back. */
export const reconnects = storeOf(0)

const probeIntervalMs = 1500

export function markUnreachable(): void {
  if (isUnreachable.get()) return
  isUnreachable.set(true)
  void probe()
}

async function probe(): Promise<void> {
  while (isUnreachable.get()) {
    await new Promise((resolve) => setTimeout(resolve, probeIntervalMs))
    const answer = await fetch(`${serviceUrl}/healthz`, { cache: 'no-store' }).catch(() => null)
    if (answer?.ok !== true) continue
    isUnreachable.set(false)
    reconnects.set(reconnects.get() + 1)
  }
}

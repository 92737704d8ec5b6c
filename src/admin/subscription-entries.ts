import type { Subscription } from '../catalog/catalog.ts'
import { isName } from '../model/field.ts'
import { formatInstant, parseInstant } from '../model/instant.ts'
import { invalidRequest } from '../model/problem.ts'
import type { PutSubscriptions, SubscriptionAnswer } from './subscriber-schemas.ts'

/** One entry of a request. Throws Problem `invalid_request` when it names nothing, or its dates are none or the wrong way round. */
export function subscriptionOf(entry: PutSubscriptions[number], index: number): Subscription {
  const path = `[${index}]`
  const { ingest = null, entity = null, suspended = false } = entry
  if (ingest === null && entity === null) {
    throw invalidRequest(path, 'must name an ingest, an entity or both; "*" means every one')
  }
  checkTarget(`${path}.ingest`, ingest)
  checkTarget(`${path}.entity`, entity)
  const fromMs = instantOf(`${path}.from`, entry.from)
  const untilMs = instantOf(`${path}.until`, entry.until)
  if (fromMs !== null && untilMs !== null && fromMs > untilMs) {
    throw invalidRequest(`${path}.until`, 'must not be before `from`')
  }
  return { ingest, entity, fromMs, untilMs, suspended }
}

export function subscriptionAnswer({ ingest, entity, fromMs, untilMs, suspended }: Subscription): SubscriptionAnswer {
  return {
    ...(ingest === null ? {} : { ingest }),
    ...(entity === null ? {} : { entity }),
    from: fromMs === null ? null : formatInstant(fromMs),
    until: untilMs === null ? null : formatInstant(untilMs),
    suspended,
  }
}

function checkTarget(path: string, target: string | null): void {
  if (target === null || target === '*' || isName(target)) return
  throw invalidRequest(path, 'must be a name, or "*" for every one')
}

function instantOf(path: string, text: string | null | undefined): number | null {
  if (text === undefined || text === null) return null
  const ms = parseInstant(text)
  if (ms === null) throw invalidRequest(path, 'must be a date-time, as 2026-01-01T00:00:00Z')
  return ms
}

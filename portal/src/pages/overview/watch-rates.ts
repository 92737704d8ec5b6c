// Reads the service's counters every few seconds while a page that shows them is open, and keeps a quarter of an hour of them in this tab.
import { useEffect } from 'preact/hooks'
import { type Metrics, metricsOf, total } from '../../parts/metrics-text.ts'
import { type Asked, useAsk } from '../../shell/asking.ts'
import { storeOf } from '../../shell/store.ts'
import { addSample, type RateSample } from './rates.ts'

const everyMs = 3000
const kept = 'tidemark.rates'

function keptSamples(): readonly RateSample[] {
  try {
    const known: unknown = JSON.parse(sessionStorage.getItem(kept) ?? '[]')
    return Array.isArray(known) ? known : []
  } catch {
    return []
  }
}

export const rateSamples = storeOf<readonly RateSample[]>(keptSamples())

/** The newest metrics; each is a sample of the rates too. */
export function useMetrics(skip: boolean): Asked<Metrics> {
  const asked = useAsk(async (client) => metricsOf(await client.metrics()), [], { everyMs, skip })
  const { value } = asked
  useEffect(() => {
    if (value === null) return
    const rows = total(value, 'tidemark_rows_judged_total') ?? 0
    const rejected = total(value, 'tidemark_rows_rejected_total') ?? 0
    const samples = addSample(rateSamples.get(), { ms: Date.now(), rows, rejected })
    rateSamples.set(samples)
    sessionStorage.setItem(kept, JSON.stringify(samples))
  }, [value])
  return asked
}

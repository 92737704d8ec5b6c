// How long Druid keeps the days of an entity. Its coordinator works out the rules of all data sources in one round. A period that leads
// out of its calendar ends that round each time. From then on no segment of anybody is loaded, no task comes to its end, and slots run
// out.
import { addDuration, parseDuration } from '../../../model/duration.ts'
import { earliestMs, msPerDay } from '../../../model/instant.ts'

/** On as many servers as Druid's own setting says, which it writes into the rule. */
const load = { useDefaultTierForNull: true }

/** Druid's rules for a retention, which is an ISO 8601 duration; null keeps all days, as does what reaches back before all dates. */
export function retentionRules(retention: string | null, nowMs: number): readonly object[] {
  const period = retention === null ? null : druidPeriod(retention, nowMs)
  if (period === null) return []
  return [{ type: 'loadByPeriod', period, includeFuture: true, ...load }, { type: 'dropForever' }]
}

/** Of rows: where hours are kept, as long as these, and in each case as long as rows are seen: a month has no certain length in days. */
export function rowsRules(
  retention: string | null,
  hours: { readonly retention: string | null } | undefined,
  nowMs: number,
): readonly object[] {
  const rules = retentionRules(retention, nowMs)
  if (hours === undefined) return rules
  const [kept] = retentionRules(hours.retention, nowMs)
  return kept === undefined ? [] : [kept, ...rules]
}

/** Of hours: there are rules also where they are kept for ever, so that it is seen that hours were kept. Undefined: they are kept no more. */
export function hoursRules(hours: { readonly retention: string | null } | undefined, nowMs: number): readonly object[] {
  if (hours === undefined) return [{ type: 'dropForever' }]
  const rules = retentionRules(hours.retention, nowMs)
  return rules.length > 0 ? rules : [{ type: 'loadForever', ...load }]
}

function druidPeriod(retention: string, nowMs: number): string | null {
  const duration = parseDuration(retention)
  if (duration === null) throw new Error(`the catalog holds the retention ${retention}, which is no duration`)
  const sinceMs = addDuration(nowMs, duration, -1)
  // Also what is no number any more.
  if (!(sinceMs > earliestMs)) return null
  // Druid reads numbers of up to nine digits whole, and fractions of three.
  if (!/\d{10}|\.\d{4}/.test(retention)) return retention
  return `P${Math.ceil((nowMs - sinceMs) / msPerDay)}D`
}

// How long Druid keeps the days of an entity. Druid's coordinator evaluates the rules of all data sources in one round. A period that exceeds the range of
// its calendar aborts every round. From then on no segment of any data source is loaded, no task finishes, and slots run out.
import { addDuration, parseDuration } from '../../../model/duration.ts'
import { earliestMs, msPerDay } from '../../../model/instant.ts'

/** The number of servers is Druid's own default, which Druid writes into the rule. */
const load = { useDefaultTierForNull: true }

/** Druid's rules for a retention, an ISO 8601 duration. Null keeps all days, as does a retention that reaches back before the earliest date. */
export function retentionRules(retention: string | null, nowMs: number): readonly object[] {
  const period = retention === null ? null : druidPeriod(retention, nowMs)
  if (period === null) return []
  return [{ type: 'loadByPeriod', period, includeFuture: true, ...load }, { type: 'dropForever' }]
}

/**
 * The rules for rows. Where hours are kept, rows are kept as long as hours, and in any case as long as rows are visible. Both rules are set, because the
 * length of a month in days varies.
 */
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

/** The rules for hours. Hours that are kept forever have a rule too, which shows that hours were kept. Undefined: hours are no longer kept. */
export function hoursRules(hours: { readonly retention: string | null } | undefined, nowMs: number): readonly object[] {
  if (hours === undefined) return [{ type: 'dropForever' }]
  const rules = retentionRules(hours.retention, nowMs)
  return rules.length > 0 ? rules : [{ type: 'loadForever', ...load }]
}

function druidPeriod(retention: string, nowMs: number): string | null {
  const duration = parseDuration(retention)
  if (duration === null) throw new Error(`the catalog holds the retention ${retention}, which is not a duration`)
  const sinceMs = addDuration(nowMs, duration, -1)
  // Also true of NaN.
  if (!(sinceMs > earliestMs)) return null
  // Druid accepts integers of up to nine digits, and fractions of up to three.
  if (!/\d{10}|\.\d{4}/.test(retention)) return retention
  return `P${Math.ceil((nowMs - sinceMs) / msPerDay)}D`
}

// The times that a statement reads, according to the engine's plan of it: the filters that it applies to files while it reads them.
import type { TimeBounds } from '../sql-engine.ts'

interface PlanNode {
  readonly name?: unknown
  readonly children?: readonly PlanNode[]
  readonly extra_info?: { readonly Filters?: string | readonly string[] }
}

/** Leaves of a plan that read rows from files, from items of metadata, or from another node of the same plan. */
const readers: ReadonlySet<string> = new Set(['READ_PARQUET', 'SEQ_SCAN', 'CTE_SCAN', 'DELIM_SCAN'])

/**
 * The smallest range that includes the times of all file reads in a plan of EXPLAIN (FORMAT JSON); null if one of them has no bounds. Null, too, for a
 * plan with other leaves: it does not name files that the engine counted by their footers or skipped by their statistics.
 */
export function timesOfPlan(plan: readonly PlanNode[]): TimeBounds | null {
  const readings: TimeBounds[] = []
  let isWhole = true
  const visit = ({ name, extra_info, children }: PlanNode): void => {
    const kind = String(name).trim()
    if ((children ?? []).length === 0 && !readers.has(kind)) isWhole = false
    if (kind === 'READ_PARQUET') readings.push(boundsOf(extra_info?.Filters ?? []))
    children?.forEach(visit)
  }
  plan.forEach(visit)
  if (!isWhole || readings.length === 0) return null
  const fromMs = Math.min(...readings.map((reading) => reading.fromMs))
  const untilMs = Math.max(...readings.map((reading) => reading.untilMs))
  return fromMs === Number.NEGATIVE_INFINITY && untilMs === Number.POSITIVE_INFINITY ? null : { fromMs, untilMs }
}

/** A condition on the first column, which is the time. The engine writes the time with all its digits. */
const condition = /^a0(>=|<=|>|<|=)'(\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.\d+)?\+00'::TIMESTAMP WITH TIME ZONE$/

/** The bounds from conditions that must all be true. Conditions of another form would only narrow the range. Fractions of a second are ignored. */
function boundsOf(filters: string | readonly string[]): TimeBounds {
  let [fromMs, untilMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const filter of [filters].flat()) {
    const parts = filter.split(' AND ').map((part) => condition.exec(part))
    // A string in the query may contain the same words, but then other parts surround them.
    if (parts.includes(null)) continue
    for (const part of parts) {
      const ms = Date.parse(`${part?.[2]?.replace(' ', 'T')}Z`)
      if (Number.isNaN(ms)) continue
      if (!part![1]!.startsWith('<')) fromMs = Math.max(fromMs, ms)
      if (!part![1]!.startsWith('>')) untilMs = Math.min(untilMs, ms + 1000)
    }
  }
  return { fromMs, untilMs }
}

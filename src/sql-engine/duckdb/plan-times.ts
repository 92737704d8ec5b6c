// From which times a statement takes rows, as the engine's plan of it tells: what it asks of files while it reads them.
import type { TimeBounds } from '../sql-engine.ts'

interface PlanNode {
  readonly name?: unknown
  readonly children?: readonly PlanNode[]
  readonly extra_info?: { readonly Filters?: string | readonly string[] }
}

/** Leaves of a plan that take their rows from files, from items of metadata, or from another node of the same plan. */
const readers: ReadonlySet<string> = new Set(['READ_PARQUET', 'SEQ_SCAN', 'CTE_SCAN', 'DELIM_SCAN'])

/**
 * The least range that holds the times of all files' readings in a plan of EXPLAIN (FORMAT JSON), null where one of them has no bounds. A plan with other
 * leaves tells nothing: it does not name a file that the engine counted by its footer, or left out by its statistics.
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

/** A condition of the first column, which is the time; the engine writes it with all its digits. */
const condition = /^a0(>=|<=|>|<|=)'(\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.\d+)?\+00'::TIMESTAMP WITH TIME ZONE$/

/** Of conditions that all hold; one of another form only leaves out more. A fraction of a second is not looked at. */
function boundsOf(filters: string | readonly string[]): TimeBounds {
  let [fromMs, untilMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const filter of [filters].flat()) {
    const parts = filter.split(' AND ').map((part) => condition.exec(part))
    // A text of the caller's may hold the same words: then there are others beside them.
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

// The items that a plan over time needs.
import type { AggregatePlan, OverTimePlan, PlotPlan, Range } from '../../model/plan.ts'
import type { Window } from './function-of-time.ts'

/** The items that determine the values in a window. */
export interface NeededItems {
  /** All items between these dates. */
  readonly window: Window
  /** Whether the newest item before the window is needed, of each metric. */
  readonly before: boolean
  /** Whether the first item after the window is needed, of each metric. */
  readonly after: boolean
  /** Whether the dates of the first and the last item of the selection are needed; null if neither is. */
  readonly ends: { readonly first: boolean; readonly last: boolean } | null
}

export interface Ends {
  readonly firstMs: number
  readonly lastMs: number
}

export function neededItems(plan: OverTimePlan): NeededItems {
  if (plan.kind === 'plot') {
    const { fromMs, toMs } = plan.range
    const [first, last] = [fromMs === Number.NEGATIVE_INFINITY, toMs === Number.POSITIVE_INFINITY]
    const ends = first || last ? { first, last } : null
    return { window: { fromMs, endMs: toMs }, before: false, after: false, ends }
  }
  if (plan.kind === 'snap') {
    const window = { fromMs: plan.ticksMs[0] ?? 0, endMs: plan.ticksMs.at(-1) ?? -1 }
    // Later than now, a value is known only until an item that follows.
    const after = hasLine(plan) || window.endMs > plan.values.nowMs
    return { window, before: true, after, ends: null }
  }
  const { fromMs, toMs } = plan.range
  const window = { fromMs, endMs: Math.min(toMs, plan.values.nowMs) }
  const after =
    plan.kind === 'aggregate' &&
    (hasLine(plan) || plan.columns.some(({ aggregate }) => aggregate === 'rise' || aggregate === 'resets'))
  const isOpen = plan.granularity.kind === 'all' && fromMs === Number.NEGATIVE_INFINITY
  const ends = isOpen ? { first: true, last: false } : null
  return { window, before: true, after, ends }
}

function hasLine({ values }: { readonly values: AggregatePlan['values'] }): boolean {
  return values.metrics.some(({ shape }) => shape === 'line') || values.shapeOfTag.some(([, shape]) => shape === 'line')
}

/** The range of a plot. Open ends are replaced by those of the selection. */
export function plottedRange({ range: { fromMs, toMs } }: PlotPlan, ends: Ends | null): Range {
  return {
    fromMs: fromMs === Number.NEGATIVE_INFINITY ? (ends?.firstMs ?? 0) : fromMs,
    toMs: toMs === Number.POSITIVE_INFINITY ? (ends?.lastMs ?? 0) : toMs,
  }
}

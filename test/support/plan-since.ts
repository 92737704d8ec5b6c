import type { Plan } from '../../src/model/plan.ts'

/** The plan as it runs when rows before this date have expired; null while none have. */
export function planSince(plan: Plan, sinceMs: number | null): Plan {
  const selection = { ...plan.selection, sinceMs }
  switch (plan.kind) {
    case 'select':
      return { ...plan, selection }
    case 'average':
      return { ...plan, selection }
    case 'snap':
      return { ...plan, selection }
    case 'latest':
      return { ...plan, selection }
    default:
      return { ...plan, selection }
  }
}

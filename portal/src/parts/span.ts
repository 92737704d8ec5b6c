/** A stretch of time. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** So many times its own length later. */
export function stepped({ fromMs, toMs }: Span, steps: number): Span {
  const byMs = steps * (toMs - fromMs)
  return { fromMs: fromMs + byMs, toMs: toMs + byMs }
}

/** So many times as long; what stands at `atMs` stays where it is. */
export function zoomed({ fromMs, toMs }: Span, factor: number, atMs = (fromMs + toMs) / 2): Span {
  return { fromMs: Math.round(atMs - (atMs - fromMs) * factor), toMs: Math.round(atMs + (toMs - atMs) * factor) }
}

/** What is shown once two instants stand where two others stood; null where they are the same. */
export function pinched(
  { fromMs, toMs }: Span,
  [a, b]: readonly [number, number],
  [nowA, nowB]: readonly [number, number],
): Span | null {
  if (nowA === nowB || a === b) return null
  const factor = (b - a) / (nowB - nowA)
  return { fromMs: Math.round(a + (fromMs - nowA) * factor), toMs: Math.round(a + (toMs - nowA) * factor) }
}

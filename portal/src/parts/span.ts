/** A range of time. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** The range moved by a multiple of its own length. */
export function stepped({ fromMs, toMs }: Span, steps: number): Span {
  const byMs = steps * (toMs - fromMs)
  return { fromMs: fromMs + byMs, toMs: toMs + byMs }
}

/** The range scaled by a factor; the position of `atMs` within it stays the same. */
export function zoomed({ fromMs, toMs }: Span, factor: number, atMs = (fromMs + toMs) / 2): Span {
  return { fromMs: Math.round(atMs - (atMs - fromMs) * factor), toMs: Math.round(atMs + (toMs - atMs) * factor) }
}

/** The range after a pinch that moves instants `a` and `b` to the positions of `nowA` and `nowB`; null if two of them coincide. */
export function pinched(
  { fromMs, toMs }: Span,
  [a, b]: readonly [number, number],
  [nowA, nowB]: readonly [number, number],
): Span | null {
  if (nowA === nowB || a === b) return null
  const factor = (b - a) / (nowB - nowA)
  return { fromMs: Math.round(a + (fromMs - nowA) * factor), toMs: Math.round(a + (toMs - nowA) * factor) }
}

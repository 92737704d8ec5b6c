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

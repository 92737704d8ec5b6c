/** Timers that are asked for more go off at once. */
const longestTimerMs = 2 ** 31 - 1

/** So long, or as long as timers can. */
export function timerMs(ms: number): number {
  return Math.min(ms, longestTimerMs)
}

/** Calls back once after a time, unless what it returned is called before. */
export type Timer = (callback: () => void, delayMs: number) => () => void

export const systemTimer: Timer = (callback, delayMs) => {
  const timeout = setTimeout(callback, delayMs)
  return () => clearTimeout(timeout)
}

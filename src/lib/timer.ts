/** A timer with a longer delay would fire immediately. */
const longestTimerMs = 2 ** 31 - 1

/** The delay, limited to the longest that timers support. */
export function timerMs(ms: number): number {
  return Math.min(ms, longestTimerMs)
}

/** Calls back once after the delay, unless the returned function is called first. */
export type Timer = (callback: () => void, delayMs: number) => () => void

export const systemTimer: Timer = (callback, delayMs) => {
  const timeout = setTimeout(callback, delayMs)
  return () => clearTimeout(timeout)
}

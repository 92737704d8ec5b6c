/** Calls back once after a time, unless what it returned is called before. */
export type Timer = (callback: () => void, delayMs: number) => () => void

export const systemTimer: Timer = (callback, delayMs) => {
  const timeout = setTimeout(callback, delayMs)
  return () => clearTimeout(timeout)
}

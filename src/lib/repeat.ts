/**
 * Does a piece of work again and again, with a pause after each time. `failed` is told when the work fails. Once stopped, it resolves
 * when no work is under way.
 */
export function repeat(
  work: () => Promise<void>,
  pauseMs: number,
  failed: (error: unknown) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | null = null
  let running = Promise.resolve()
  let stopped = false
  const wait = (): void => {
    if (stopped) return
    timer = setTimeout(() => {
      running = work().catch(failed).finally(wait)
    }, pauseMs)
    // It is never a reason for the process to stay.
    timer.unref()
  }
  wait()
  return async () => {
    stopped = true
    if (timer !== null) clearTimeout(timer)
    await running
  }
}

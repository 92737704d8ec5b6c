/**
 * Repeats a piece of work, with a pause after each run. `failed` is called when the work fails. The returned function stops it, and resolves when no
 * work is in progress.
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
    // It must not keep the process alive.
    timer.unref()
  }
  wait()
  return async () => {
    stopped = true
    if (timer !== null) clearTimeout(timer)
    await running
  }
}

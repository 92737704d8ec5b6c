export interface Attempt<Answer> {
  readonly begin: () => Promise<Answer>
  /** Called if the attempt has not responded within `lateAfterMs`. */
  readonly late: () => void
}

interface LateOptions {
  /** How long an attempt runs before the next one starts. */
  readonly lateAfterMs: number
  /** Whether a failure means that there was no response, so that the next attempt starts. Any other failure is the result. */
  readonly isUnavailable: (error: unknown) => boolean
}

/**
 * Starts the attempts one after another, each when the last one has failed or is late. Resolves with the first response of any of them; rejects with the
 * last failure.
 */
export function firstAnswer<Answer>(
  attempts: readonly Attempt<Answer>[],
  { lateAfterMs, isUnavailable }: LateOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let [begun, failed, isOver] = [0, 0, false]
    const end = (settle: () => void): void => {
      isOver = true
      settle()
    }
    const beginNext = (): void => {
      const attempt = isOver ? undefined : attempts[begun]
      if (attempt === undefined) return
      begun++
      const timer = setTimeout(() => {
        attempt.late()
        beginNext()
      }, lateAfterMs)
      const isLast = begun
      attempt
        .begin()
        .finally(() => clearTimeout(timer))
        .then(
          (answer) => end(() => resolve(answer)),
          (error: unknown) => {
            failed++
            if (!isUnavailable(error) || failed === attempts.length) end(() => reject(error))
            else if (isLast === begun) beginNext()
          },
        )
    }
    beginNext()
  })
}

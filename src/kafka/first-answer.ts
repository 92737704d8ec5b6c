export interface Attempt<Answer> {
  readonly begin: () => Promise<Answer>
  /** Called where it has not answered soon. */
  readonly late: () => void
}

interface Patience {
  /** How long an attempt is waited for alone. */
  readonly patienceMs: number
  /** Whether a failure says that there was no answer: then the next is tried. Any other failure is the answer. */
  readonly isAway: (error: unknown) => boolean
}

/**
 * Begins one attempt after the other, the next when the last one has failed or is late, and resolves with the first answer of any of them. Rejects
 * with the last failure.
 */
export function firstAnswer<Answer>(
  attempts: readonly Attempt<Answer>[],
  { patienceMs, isAway }: Patience,
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
      }, patienceMs)
      const isLast = begun
      attempt
        .begin()
        .finally(() => clearTimeout(timer))
        .then(
          (answer) => end(() => resolve(answer)),
          (error: unknown) => {
            failed++
            if (!isAway(error) || failed === attempts.length) end(() => reject(error))
            else if (isLast === begun) beginNext()
          },
        )
    }
    beginNext()
  })
}

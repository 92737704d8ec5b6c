import { isRetryableError, withRetries } from '../../client/retries.ts'
import { ConnectionError } from '../../client/service-error.ts'
import type { CliContext } from '../context.ts'
import { printNote, unreachableText } from '../output.ts'

/** Less than the lifetime of an idempotency key in the service. */
export const retrySecondsMax = 23 * 60 * 60

/** Timeout for the response to a small request. */
const answerMs = 30_000

/** False if the address itself is wrong: waiting would not help. */
function isWorthWaiting(error: unknown): boolean {
  return isRetryableError(error) && !(error instanceof ConnectionError && error.wrongAddress)
}

/**
 * The first request of a push, with retries while the service is unreachable, since it may be starting. Prints a note at the first failure, since the
 * address may be wrong. Rejects with the error of the last try when the time is over.
 */
export async function whenReachable<Answer>(
  context: CliContext,
  retryMs: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const { nowMs, sleep } = context
  const tryMs = retryMs === 0 ? answerMs : Math.min(answerMs, retryMs)
  let printed = ''
  const answer = await withRetries(() => within(tryMs, ask), {
    nowMs,
    sleep,
    retryMs,
    isRetryable: isWorthWaiting,
    onRetry: (error) => {
      const text = error instanceof ConnectionError && error.unreachable ? unreachableText(error) : error.message
      if (text === printed) return
      printed = text
      printNote(context, `${text} Trying again for up to ${retryMs / 1000} s (--retry-seconds); Ctrl-C ends it.`)
    },
  })
  if (printed !== '') printNote(context, 'The service answers now.')
  return answer
}

async function within<Answer>(ms: number, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const tried = new AbortController()
  const timer = setTimeout(() => tried.abort(new Error(`no answer within ${ms / 1000} s`)), ms)
  try {
    return await ask(tried.signal)
  } finally {
    clearTimeout(timer)
  }
}

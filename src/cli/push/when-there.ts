import { mayGoBetter, withRetries } from '../../client/retries.ts'
import { ConnectionError } from '../../client/service-error.ts'
import type { CliContext } from '../context.ts'
import { printNote, unreachableText } from '../output.ts'

/** Less than the service knows an idempotency key. */
export const retrySecondsMax = 23 * 60 * 60

/** Whatever listens at an address and says nothing to a small request by then is not waited for. */
const answerMs = 30_000

/** Where the address itself is wrong, waiting would not help. */
function isWorthWaiting(error: unknown): boolean {
  return mayGoBetter(error) && !(error instanceof ConnectionError && error.wrongAddress)
}

/**
 * The first request of a push, again while the service is not there: it may be starting. Says so at once, for it may also be looked for at a wrong
 * place. Rejects with what the last try met when its time is over.
 */
export async function whenThere<Answer>(
  context: CliContext,
  retryMs: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const { nowMs, sleep } = context
  const tryMs = retryMs === 0 ? answerMs : Math.min(answerMs, retryMs)
  let told = ''
  const answer = await withRetries(() => within(tryMs, ask), {
    nowMs,
    sleep,
    retryMs,
    isRetryable: isWorthWaiting,
    onRetry: (error) => {
      const text = error instanceof ConnectionError && error.unreachable ? unreachableText(error) : error.message
      if (text === told) return
      told = text
      printNote(context, `${text} Trying again for up to ${retryMs / 1000} s (--retry-seconds); Ctrl-C ends it.`)
    },
  })
  if (told !== '') printNote(context, 'The service answers now.')
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

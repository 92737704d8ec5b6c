import { mayGoBetter, withRetries } from '../../client/retries.ts'
import { ConnectionError } from '../../client/service-error.ts'
import { printable } from '../../lib/text-table.ts'
import type { CliContext } from '../context.ts'
import { unreachableText } from '../unreachable.ts'

/** Less than the service knows an idempotency key. */
export const retrySecondsMax = 23 * 60 * 60

/** Where the address itself is wrong, waiting would not help. */
function isWorthWaiting(error: unknown): boolean {
  return mayGoBetter(error) && !(error instanceof ConnectionError && error.wrongAddress)
}

/**
 * The first request of a push, again while the service is not there: it may be starting. Says so at once, for it may also be looked for at a wrong
 * place. Rejects with what the last try met when its time is over.
 */
export async function whenThere<Answer>(
  { stderr, nowMs, sleep }: CliContext,
  retryMs: number,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const say = (line: string): unknown => stderr.write(`tidemark: ${printable(line)}\n`)
  let told = ''
  const answer = await withRetries(ask, {
    nowMs,
    sleep,
    retryMs,
    isRetryable: isWorthWaiting,
    onRetry: (error) => {
      const text = error instanceof ConnectionError && error.unreachable ? unreachableText(error) : error.message
      if (text === told) return
      told = text
      say(`${text} Trying again for up to ${retryMs / 1000} s (--retry-seconds); Ctrl-C ends it.`)
    },
  })
  if (told !== '') say('The service answers now.')
  return answer
}

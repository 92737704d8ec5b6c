import { describe, expect, test } from 'vitest'
import { isDoubtful, withRetries } from './retries.ts'
import { ConnectionError, ServiceError } from './service-error.ts'

const refused = new ConnectionError('refused', { sent: false, cause: null })
const broken = new ConnectionError('broke', { sent: true, cause: null })
const problem = (retryable: boolean, retryAfterS: number | null = null): ServiceError =>
  new ServiceError({ status: retryable ? 503 : 400, code: 'x', detail: 'full', errors: [], retryable, retryAfterS })

/** Returns these outcomes, one per attempt, and records the delays between the attempts. */
async function attempts(
  outcomes: readonly (Error | 'ok')[],
  retryMs: number,
): Promise<{ end: unknown; waits: number[] }> {
  const waits: number[] = []
  let now = 0
  let attempt = 0
  const options = {
    nowMs: () => now,
    sleep: async (ms: number) => {
      waits.push(ms)
      now += ms
    },
    retryMs,
    onRetry: () => {},
  }
  const one = async (): Promise<string> => {
    const outcome = outcomes[Math.min(attempt++, outcomes.length - 1)]!
    if (outcome === 'ok') return outcome
    throw outcome
  }
  const end = await withRetries(one, options).catch((error: unknown) => error)
  return { end, waits }
}

const unknown = (status: number): ServiceError =>
  new ServiceError({ status, code: 'unknown', detail: 'x', errors: [], retryable: false, retryAfterS: null })

describe('tries again where it may go better later', () => {
  test.each<[string, (Error | 'ok')[], number, unknown, number[]]>([
    ['at once', ['ok'], 1000, 'ok', []],
    ['after a refused connection', [refused, 'ok'], 1000, 'ok', [250]],
    ['after a retryable answer', [problem(true), problem(true), 'ok'], 1000, 'ok', [250, 500]],
    ['not before the service asks for it', [problem(true, 3), 'ok'], 10_000, 'ok', [3000]],
    ['not after another answer', [problem(false)], 1000, problem(false), []],
    ['after a broken connection', [broken, broken, 'ok'], 1000, 'ok', [250, 500]],
    ['after a gateway lost the service', [unknown(502), unknown(504), 'ok'], 1000, 'ok', [250, 500]],
    ['not after an answer of nobody knows whom', [unknown(404)], 1000, unknown(404), []],
    ['and says what nobody knows', [broken, refused], 1000, broken, [250, 500]],
    ['not for ever', [refused], 1000, refused, [250, 500]],
    ['not for longer than is left', [problem(true, 60)], 1000, problem(true, 60), []],
  ])('%s', async (_, outcomes, retryMs, end, waits) => {
    expect(await attempts(outcomes, retryMs)).toEqual({ end, waits })
  })
})

test('tries again after a failure that took longer to come than it is tried again', async () => {
  let now = 0
  const outcomes = [300_000, 0]
  const attempt = async (): Promise<string> => {
    const tookMs = outcomes.shift() ?? 0
    now += tookMs
    if (tookMs > 0) throw broken
    return 'ok'
  }
  const sleep = async (ms: number): Promise<void> => {
    now += ms
  }
  const options = { nowMs: () => now, sleep, retryMs: 120_000, onRetry: () => undefined }
  expect(await withRetries(attempt, options)).toBe('ok')
})

test('waits up to half as long again where many come back at once', async () => {
  const waits: number[] = []
  const outcomes = [refused, refused]
  const attempt = async (): Promise<string> => {
    const error = outcomes.pop()
    if (error !== undefined) throw error
    return 'ok'
  }
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms)
  }
  const options = { nowMs: () => 0, sleep, retryMs: 1000, onRetry: () => undefined, random: () => 0.5 }
  expect(await withRetries(attempt, options)).toBe('ok')
  expect(waits).toEqual([312.5, 625])
})

test.each([
  [broken, true],
  [refused, false],
  [unknown(502), true],
  [unknown(504), true],
  [unknown(200), true],
  [unknown(503), false],
  [unknown(301), false],
  [problem(true), false],
])('%o: whether nobody knows what became of the request', (error, isIt) => {
  expect(isDoubtful(error)).toBe(isIt)
})

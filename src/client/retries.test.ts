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

describe('retries failures that may be temporary', () => {
  test.each<[string, (Error | 'ok')[], number, unknown, number[]]>([
    ['makes one attempt if it succeeds', ['ok'], 1000, 'ok', []],
    ['retries after a refused connection', [refused, 'ok'], 1000, 'ok', [250]],
    ['retries after a retryable answer', [problem(true), problem(true), 'ok'], 1000, 'ok', [250, 500]],
    ['waits as long as the service asks for', [problem(true, 3), 'ok'], 10_000, 'ok', [3000]],
    ['does not retry an answer that is not retryable', [problem(false)], 1000, problem(false), []],
    ['retries after a broken connection', [broken, broken, 'ok'], 1000, 'ok', [250, 500]],
    ['retries after a gateway timeout or bad gateway', [unknown(502), unknown(504), 'ok'], 1000, 'ok', [250, 500]],
    ['does not retry a 404 that is not from the service', [unknown(404)], 1000, unknown(404), []],
    ['throws the failure that leaves the outcome unknown', [broken, refused], 1000, broken, [250, 500]],
    ['gives up after retryMs', [refused], 1000, refused, [250, 500]],
    ['gives up if the service asks for a longer wait than remains', [problem(true, 60)], 1000, problem(true, 60), []],
  ])('%s', async (_, outcomes, retryMs, end, waits) => {
    expect(await attempts(outcomes, retryMs)).toEqual({ end, waits })
  })
})

test('retries after a first attempt that took longer than retryMs', async () => {
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

test('lengthens each wait at random by up to half, to spread the retries of many clients', async () => {
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
])('whether %o leaves the outcome of the request unknown', (error, isIt) => {
  expect(isDoubtful(error)).toBe(isIt)
})

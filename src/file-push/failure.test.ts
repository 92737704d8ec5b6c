import { expect, test } from 'vitest'
import { withRetries } from '../client/retries.ts'
import { connectionErrorOf, serviceErrorOf } from '../client/service-error.ts'
import { failureSentences } from './failure.ts'

const cause = Object.assign(new Error('x'), { code: 'ECONNREFUSED' })
const refused = connectionErrorOf('http://127.0.0.1:8080', new Error('x', { cause }))

test.each([
  [504, true],
  [502, true],
  [503, false],
  [404, false],
])('after a gateway answered %i, the failure says whether the outcome is unknown: %s', async (status, isInDoubt) => {
  const answers = [serviceErrorOf(status, '<html>', null), refused]
  let nowMs = 0
  const error = await withRetries(() => Promise.reject(answers.shift() ?? refused), {
    ...{ nowMs: () => nowMs, retryMs: 1000, onRetry: () => undefined },
    sleep: async (ms) => {
      nowMs += ms
    },
  }).catch((failure: unknown) => failure)
  const result = {
    failed: [{ firstRow: 1, lastRow: 2, error }],
    readError: undefined,
    acknowledgedRows: 0,
    lastRow: 2,
  }
  expect(failureSentences(result)[0]!.endsWith('It is unknown whether they were stored.')).toBe(isInDoubt)
})

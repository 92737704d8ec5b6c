import { expect, test } from 'vitest'
import { retryRounds } from '../crash/retry-rounds.ts'

test('a push killed between its fsync and its response is stored once when it is retried', async () => {
  const findings = await retryRounds({ rounds: 4, clients: 3, seed: 1 })
  expect(findings).toMatchObject({ lost: 0, doubled: 0, contradicted: 0 })
  expect(findings.stored).toBeGreaterThan(0)
}, 120_000)

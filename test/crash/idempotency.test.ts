import { expect, test } from 'vitest'
import { retryRounds } from './retry-rounds.ts'

const rounds = Number(process.env['TIDEMARK_CRASH_ROUNDS'] ?? 60)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)

/** Rows are sealed and trimmed from the journal all the time, so their keys are kept in files. */
const environment = { TIDEMARK_STORE_HEAD_ROWS: '20', TIDEMARK_JOURNAL_SEGMENT_BYTES: '65536' }

test(`after ${rounds} kills every push with a key is stored once (TIDEMARK_TEST_SEED=${seed})`, async () => {
  const findings = await retryRounds({ rounds, clients: 6, seed, environment })
  console.log(findings)
  expect(findings).toMatchObject({ lost: 0, doubled: 0, contradicted: 0 })
  // Otherwise nothing is proved: some pushes must have been on disk without a response.
  expect(findings.stored).toBeGreaterThan(0)
})

test('canary: without keys retries duplicate rows', async () => {
  const findings = await retryRounds({ rounds: 4, clients: 4, seed, withoutKeys: true })
  expect(findings.doubled).toBeGreaterThan(0)
})

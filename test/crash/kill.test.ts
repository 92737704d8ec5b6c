import { expect, test } from 'vitest'
import { testProgram } from '../support/compiled.ts'
import { clean, killRounds } from './kill-rounds.ts'
import { restlessEnvironment } from './step-rounds.ts'

const rounds = Number(process.env['TIDEMARK_CRASH_ROUNDS'] ?? 100)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)

test(`${rounds} kills lose and duplicate no row (TIDEMARK_TEST_SEED=${seed})`, async () => {
  const findings = await killRounds({ rounds, clients: 6, seed })
  console.log(findings)
  expect(findings).toMatchObject(clean)
  expect(findings.acknowledged).toBeGreaterThan(rounds)
  expect(findings.lines).toBeGreaterThan(rounds / 10)
})

test(`kills during constant seals and merges lose and duplicate no row (TIDEMARK_TEST_SEED=${seed})`, async () => {
  const findings = await killRounds({ rounds, clients: 6, seed, environment: restlessEnvironment })
  console.log(findings)
  expect(findings).toMatchObject(clean)
  expect(findings.acknowledged).toBeGreaterThan(rounds)
  expect(findings.lines).toBeGreaterThan(rounds / 10)
})

test('canary: a store that applies an entry twice is detected', async () => {
  const program = testProgram('crash/serve-twice')
  const findings = await killRounds({ rounds: 2, clients: 4, seed, program })
  expect(findings.doubled).toBeGreaterThan(0)
  expect(findings.lost).toBe(0)
})

test('canary: a store that starts before its sealed position is detected', async () => {
  const program = testProgram('crash/serve-early')
  // Segments large enough that the journal still has the sealed entries; rows that a round stores twice are sealed before its kill.
  const environment = { TIDEMARK_STORE_HEAD_AGE_MS: '60' }
  const found = killRounds({ rounds: 3, clients: 4, seed, program, environment, afterSeal: true })
  // It stores rows twice, or it starts within an entry, which cannot be validated, and ends.
  const isCaught = found.then(
    ({ doubled }) => doubled > 0,
    (error: unknown) => String(error).includes('the server ended with 1'),
  )
  expect(await isCaught).toBe(true)
})

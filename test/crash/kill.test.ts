import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { killRounds } from './kill-rounds.ts'

const rounds = Number(process.env['TIDEMARK_CRASH_ROUNDS'] ?? 100)
const seed = Number(process.env['TIDEMARK_CRASH_SEED'] ?? Date.now() % 1_000_000)
const clean = { lost: 0, doubled: 0, partial: 0, foreign: 0 }

test(`${rounds} kills lose nothing and double nothing (TIDEMARK_CRASH_SEED=${seed})`, async () => {
  const findings = await killRounds({ rounds, clients: 6, seed })
  console.log(findings)
  expect(findings).toMatchObject(clean)
  expect(findings.acknowledged).toBeGreaterThan(rounds)
})

test('the canary: a store that applies an entry twice is caught', async () => {
  const program = fileURLToPath(new URL('./planted/serve-twice.mjs', import.meta.url))
  const findings = await killRounds({ rounds: 2, clients: 4, seed, program })
  expect(findings.doubled).toBeGreaterThan(0)
  expect(findings.lost).toBe(0)
})

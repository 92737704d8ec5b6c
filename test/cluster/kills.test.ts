import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { clean } from '../crash/kill-rounds.ts'
import { clusterKillRounds, type Victim } from './kill-rounds.ts'

const isFull = process.env['TIDEMARK_CLUSTER_FULL'] === '1'
const rounds = isFull ? 20 : 1
const seed = Number(process.env['TIDEMARK_CRASH_SEED'] ?? Date.now() % 1_000_000)
const victims: readonly Victim[] = ['api', 'pipeline', 'kafka', 'indexer', 'broker', 'coordinator', 'postgres']

test.each(victims)(
  `%s, killed ${rounds} times: nothing is lost and nothing is there twice (TIDEMARK_CRASH_SEED=${seed})`,
  async (victim) => {
    const findings = await clusterKillRounds({
      victims: Array.from({ length: rounds }, () => victim),
      clients: 3,
      seed,
    })
    console.log(victim, findings)
    expect(findings).toMatchObject(clean)
    expect(findings.acknowledged).toBeGreaterThan(0)
  },
  rounds * 300_000,
)

test('the canary: a pipeline that says how far it has come before its rows are written is caught', async () => {
  const pipelineProgram = fileURLToPath(new URL('./planted/serve-offsets-first.mjs', import.meta.url))
  const options = {
    victims: ['pipeline', 'pipeline', 'pipeline'] as const,
    clients: 3,
    seed,
    pipelineProgram,
    recoveryMs: 20_000,
  }
  const outcome = await clusterKillRounds(options).then(
    ({ lost, doubled }) => lost + doubled,
    // Rows that never come are waited for in vain.
    (error: unknown) => (String(error).includes('did not recover') ? 1 : Promise.reject(error)),
  )
  expect(outcome).toBeGreaterThan(0)
}, 600_000)

import { expect, test } from 'vitest'
import { clean } from '../crash/kill-rounds.ts'
import { testProgram } from '../support/compiled.ts'
import { clusterKillRounds, type Victim } from './kill-rounds.ts'

const isFull = process.env['TIDEMARK_CLUSTER_FULL'] === '1'
const isShort = process.env['TIDEMARK_CLUSTER_SHORT'] === '1'
const rounds = isFull ? 20 : 1
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
const victims: readonly Victim[] = ['api', 'pipeline', 'kafka', 'indexer', 'broker', 'coordinator', 'postgres']

async function expectClean(killed: readonly Victim[]): Promise<void> {
  const findings = await clusterKillRounds({ victims: killed, clients: 3, seed })
  console.log(killed.join(), findings)
  expect(findings).toMatchObject(clean)
  expect(findings.acknowledged).toBeGreaterThan(0)
}

test.skipIf(isShort).each(victims)(
  `%s, killed ${rounds} times: no row is lost or duplicated (TIDEMARK_TEST_SEED=${seed})`,
  (victim) => expectClean(Array.from({ length: rounds }, () => victim)),
  rounds * 300_000,
)

test.runIf(isShort)(
  `several kinds of victims, one after another: no row is lost or duplicated (TIDEMARK_TEST_SEED=${seed})`,
  () => expectClean(['pipeline', 'postgres', 'kafka', 'indexer', 'api']),
  600_000,
)

test.skipIf(isShort)(
  'canary: a pipeline that commits its position before its rows are written is detected',
  async () => {
    const pipelineProgram = testProgram('cluster/serve-offsets-first')
    const options = {
      victims: ['pipeline', 'pipeline', 'pipeline'] as const,
      clients: 3,
      seed,
      pipelineProgram,
      recoveryMs: 20_000,
    }
    const outcome = await clusterKillRounds(options).then(
      ({ lost, doubled }) => lost + doubled,
      // The wait for rows that never arrive times out.
      (error: unknown) => (String(error).includes('did not recover') ? 1 : Promise.reject(error)),
    )
    expect(outcome).toBeGreaterThan(0)
  },
  600_000,
)

import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { ServiceEvent } from '../../src/observe/event.ts'
import { call } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { runService } from '../support/running-service.ts'
import { type FuzzOutcome, fuzzHttp } from './fuzz-rounds.ts'
import { makeWorld } from './fuzz-world.ts'
import { endpointsOf } from './random-requests.ts'

export const fuzzSeed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))

/** Events by which the service reports its own failures. */
const failures: readonly ServiceEvent['kind'][] = [
  'requestFailed',
  'storeDied',
  'sqlEngineDied',
  'journalFailed',
  'sealFailed',
]

/** Limits within which no request takes long. */
const settings = {
  'limits.ingestWaitMs': '100',
  // Most of the keys in requests are wrong.
  'limits.failedKeysPerMinute': '0',
  'limits.queryTimeMs': onCluster ? '20000' : '5000',
  'store.headRows': '2000',
}

/**
 * Sends `requests` fuzzed requests to a new service. Expects no fault and no change of its readiness. Resolves with the number of responses by
 * status.
 */
export async function fuzzService(consumption: 'public' | 'key', requests: number): Promise<FuzzOutcome['statuses']> {
  const failed: unknown[] = []
  const service = await runService(
    { 'access.consumption': consumption, ...settings },
    {
      observe: (event) => {
        if (failures.includes(event.kind) && failed.length < 20) failed.push(event)
      },
    },
  )
  const url = service.url
  const endpoints = endpointsOf(document)
  try {
    const outcome = await fuzzHttp({ url, requests, seed: fuzzSeed, world: () => makeWorld(url, endpoints) })
    expect({ findings: outcome.findings, failed }).toEqual({ findings: [], failed: [] })
    expect((await call(url, 'GET', '/readyz')).status).toBe(200)
    return outcome.statuses
  } finally {
    await service.close()
  }
}

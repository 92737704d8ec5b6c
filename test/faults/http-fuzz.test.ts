// Fuzzed requests from a seed: every endpoint, every kind of key, strings and numbers at every edge, and bytes that are not HTTP. None may cause a failure of
// the service. TIDEMARK_FUZZ_REQUESTS sets their number, TIDEMARK_TEST_SEED repeats a failure; `npm run test:crash` sends 100,000.
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { fuzzHttp } from '../http-fuzz/fuzz-rounds.ts'
import { fuzzSeed, fuzzService } from '../http-fuzz/fuzzed-service.ts'
import { endpointsOf } from '../http-fuzz/random-requests.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { keys, type TestServer, testServer } from '../support/http-server.ts'

const requests = Number(process.env['TIDEMARK_FUZZ_REQUESTS'] ?? 300)
/** On a cluster some requests take long: expired rows are purged before a retention is lifted. */
const limitMs = 60_000 + requests * (onCluster ? 1000 : 100)

describe(`${requests} fuzzed requests (TIDEMARK_TEST_SEED=${fuzzSeed})`, () => {
  test.each(['public', 'key'] as const)(
    'are answered without a server failure when consumption is %s',
    async (consumption) => {
      const statuses = await fuzzService(consumption, requests)
      console.log(statuses)
      expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '403', '404']))
    },
    limitMs,
  )
})

describe('canary', () => {
  /** A fixed seed: the requests of some others never query a receipt, and so meet no failure. */
  const canarySeed = 1
  const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))
  const names = {
    ingests: ['plant'],
    entities: ['plant'],
    tables: ['plant'],
    subscribers: ['a'],
    ids: ['a'],
    batches: ['b'],
  }
  const running: TestServer[] = []
  afterAll(() => Promise.all(running.map(({ app }) => app.close())))

  /** The findings for a server whose only fault is in the given overrides. */
  async function findingsOf(overrides: Parameters<typeof testServer>[0]) {
    const server = await testServer(overrides)
    running.push(server)
    const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
    const world = async () => ({ endpoints: endpointsOf(document), names, keys: { ...keys, both: keys.admin } })
    return (await fuzzHttp({ url, requests: 1000, seed: canarySeed, world })).findings
  }

  test('the failure of one endpoint is detected, and a healthy server has no findings', async () => {
    const failing = { receipts: { receipt: () => Promise.reject(new Error('planted')) } }
    expect(await findingsOf(failing)).toContainEqual(
      expect.objectContaining({ what: expect.stringContaining('status 500') }),
    )
    expect(await findingsOf({})).toEqual([])
  })
})

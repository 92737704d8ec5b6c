// A longer run of test/faults/http-fuzz.test.ts.
import { expect, test } from 'vitest'
import { fuzzSeed, fuzzService } from '../http-fuzz/fuzzed-service.ts'

const requests = Number(process.env['TIDEMARK_FUZZ_REQUESTS'] ?? 100_000)

test.each(['public', 'key'] as const)(
  `${requests / 2} fuzzed requests cause no server failure when consumption is %s (TIDEMARK_TEST_SEED=${fuzzSeed})`,
  async (consumption) => {
    const statuses = await fuzzService(consumption, Math.ceil(requests / 2))
    console.log(statuses)
    expect(statuses[200]).toBeGreaterThan(0)
  },
  60 * 60_000,
)

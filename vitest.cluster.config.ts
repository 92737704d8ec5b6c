import { defineConfig } from 'vitest/config'

/** Of the tests of the whole service, those that hold with either engine. */
const acceptance = ['ingestion', 'lifecycle', 'metadata', 'queries', 'refusals', 'replace', 'native'].join()

/** Against a real Kafka, Druid and PostgreSQL, which are started when they do not run: `npm run test:cluster`. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts', `test/acceptance/{${acceptance}}.test.ts`],
    env: { TIDEMARK_TEST_ENGINE: 'cluster' },
    globalSetup: ['test/cluster/global-setup.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
})

import { defineConfig } from 'vitest/config'

/** Needs Kafka, Druid and PostgreSQL (`npm run cluster -- start`): `npm run test:cluster`. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 10 * 60_000,
    hookTimeout: 5 * 60_000,
  },
})

import { defineConfig } from 'vitest/config'

/** Against a real Kafka, Druid and PostgreSQL, which are started when they do not run: `npm run test:cluster`. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    globalSetup: ['test/cluster/global-setup.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
})

import { defineConfig } from 'vitest/config'

/** Programs of others against a running service: `npm run test:tools`. */
export default defineConfig({
  test: {
    include: ['test/tools/**/*.test.ts', 'test/client/packed.test.ts'],
    globalSetup: ['test/tools/global-setup.ts'],
    // Most of the time is waiting for programs of others.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
})

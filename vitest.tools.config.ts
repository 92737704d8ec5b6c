import { defineConfig } from 'vitest/config'

/** Programs of others against a running service: `npm run test:tools`. */
export default defineConfig({
  test: {
    include: ['test/tools/**/*.test.ts', 'test/client/packed.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
})

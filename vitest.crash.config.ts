import { defineConfig } from 'vitest/config'

/** Rounds of SIGKILL take minutes: `npm run test:crash`. */
export default defineConfig({
  test: {
    include: ['test/crash/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 20 * 60_000,
    hookTimeout: 60_000,
  },
})

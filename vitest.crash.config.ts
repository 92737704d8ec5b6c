import { defineConfig } from 'vitest/config'

/** Rounds of SIGKILL, and thousands of simulated histories, take minutes: `npm run test:crash`. */
export default defineConfig({
  test: {
    include: ['test/crash/**/*.test.ts', 'test/simulation/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 20 * 60_000,
    hookTimeout: 60_000,
    env: { TIDEMARK_SIMULATION_HISTORIES: process.env['TIDEMARK_SIMULATION_HISTORIES'] ?? '2000' },
  },
})

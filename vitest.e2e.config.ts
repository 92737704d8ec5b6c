import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    // A browser and a server beside each test: one at a time, with the patience that a slow machine needs.
    maxWorkers: 1,
    // The files of one worker share its modules, as in vitest.config.ts.
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    bail: 1,
  },
})

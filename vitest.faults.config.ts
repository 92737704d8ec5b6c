import { defineConfig } from 'vitest/config'

/** Services whose disks, threads, processes and callers fail, most of them as programs of their own: `npm run test:faults`. */
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    maxWorkers: '100%',
    // The files of one worker share its modules, as in vitest.config.ts.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})

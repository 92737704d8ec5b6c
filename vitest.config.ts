import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'portal/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [
      'test/crash/**',
      'test/faults/**',
      'test/cluster/**',
      'test/e2e/**',
      'test/superset/**',
      'test/tools/**',
      'test/client/packed.test.ts',
      'test/agreement/agreement.test.ts',
      'test/druid-http/real-druid.test.ts',
      'test/docs/guides.test.ts',
      'node_modules/**',
    ],
    // Much of the time is waiting for disks and processes: one worker a core, where the default leaves one core out.
    maxWorkers: '100%',
    // The files of one worker share its modules: no test replaces one, and reading them anew for each file was half of the processors' time.
    isolate: false,
    // A test that stands still is to fail; one on a busy machine is not.
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})

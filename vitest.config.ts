import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'portal/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [
      'test/crash/**',
      'test/cluster/**',
      'test/e2e/**',
      'test/agreement/agreement.test.ts',
      'test/docs/guides.test.ts',
      'node_modules/**',
    ],
    // Much of the time is waiting for disks and processes: one worker a core, where the default leaves one core out.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

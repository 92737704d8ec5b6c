import { defineConfig } from 'vitest/config'

/** Apache Superset against a running service: `npm run test:superset`. */
export default defineConfig({
  test: {
    include: ['test/superset/**/*.test.ts'],
    testTimeout: 120_000,
    // Its packages are installed and its database is made, some minutes in all.
    hookTimeout: 1_800_000,
  },
})

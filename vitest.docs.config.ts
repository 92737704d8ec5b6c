import { defineConfig } from 'vitest/config'

/** Starts a program for each command that the guides show: `npm run test:docs`. */
export default defineConfig({
  test: {
    include: ['test/docs/guides.test.ts'],
    testTimeout: 600_000,
  },
})

import { defineConfig } from 'vitest/config'
import cluster from './vitest.cluster.config.ts'

const queries = process.env['TIDEMARK_AGREEMENT_QUERIES'] ?? '10000'

/** Queries at random of one machine and of Druid: `npm run test:agreement`. */
export default defineConfig({
  test: {
    ...cluster.test,
    include: ['test/agreement/agreement.test.ts'],
    env: { ...cluster.test?.env, TIDEMARK_AGREEMENT_QUERIES: queries },
  },
})

import { defineConfig } from 'vitest/config'
import cluster from './vitest.cluster.config.ts'

const queries = process.env['TIDEMARK_AGREEMENT_QUERIES'] ?? '10000'
/** 2,400 relations between answers, in about ten minutes. */
const rounds = process.env['TIDEMARK_TEST_ROUNDS'] ?? '20'

/** Queries at random of one machine and of Druid, and of the SQL engine by itself: `npm run test:agreement`. */
export default defineConfig({
  test: {
    ...cluster.test,
    include: ['test/agreement/agreement.test.ts', 'test/sql-engine/*.test.ts'],
    env: { ...cluster.test?.env, TIDEMARK_AGREEMENT_QUERIES: queries, TIDEMARK_TEST_ROUNDS: rounds },
  },
})

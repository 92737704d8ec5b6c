import { defineConfig } from 'vitest/config'
import cluster from './vitest.cluster.config.ts'

/** Queries at random of one machine and of Druid: `npm run test:agreement`. */
export default defineConfig({ test: { ...cluster.test, include: ['test/agreement/agreement.test.ts'] } })

// npm run test:cluster [-- --full] [vitest's own arguments]: with --full all rounds of killing, else a few.
import { spawnSync } from 'node:child_process'

const given = process.argv.slice(2)
const vitestArguments = given.filter((argument) => argument !== '--full')
const env = { ...process.env, ...(given.includes('--full') ? { TIDEMARK_CLUSTER_FULL: '1' } : {}) }
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.cluster.config.ts', ...vitestArguments]
process.exitCode = spawnSync(process.execPath, vitest, { stdio: 'inherit', env }).status ?? 1

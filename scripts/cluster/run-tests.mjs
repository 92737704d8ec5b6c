// npm run test:cluster [-- --full | --short] [vitest's own arguments]: --full runs all rounds of kills instead of a few; --short runs a few files.
import { spawnSync } from 'node:child_process'

const given = process.argv.slice(2)
const sizes = { '--full': 'TIDEMARK_CLUSTER_FULL', '--short': 'TIDEMARK_CLUSTER_SHORT' }
const vitestArguments = given.filter((argument) => !(argument in sizes))
const chosen = given.flatMap((argument) => (argument in sizes ? [[sizes[argument], '1']] : []))
const env = { ...process.env, ...Object.fromEntries(chosen) }
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'cluster', ...vitestArguments]
process.exitCode = spawnSync(process.execPath, vitest, { stdio: 'inherit', env }).status ?? 1

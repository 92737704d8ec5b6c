import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** The random tests of which `npm test` runs a part of the rounds. */
const atLength = ['src', 'test']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("/rounds.ts'"))

/** Rounds of SIGKILL, thousands of simulated histories and all rounds of the random tests take minutes: `npm run test:crash`. */
export default defineConfig({
  test: {
    include: ['test/crash/**/*.test.ts', 'test/simulation/**/*.test.ts', ...atLength],
    // Most of the time is waiting for processes that start and end.
    maxWorkers: '100%',
    // The files of one worker share its modules, as in vitest.config.ts.
    isolate: false,
    testTimeout: 20 * 60_000,
    hookTimeout: 60_000,
    env: {
      TIDEMARK_SIMULATION_HISTORIES: process.env['TIDEMARK_SIMULATION_HISTORIES'] ?? '2000',
      TIDEMARK_TEST_ROUNDS: process.env['TIDEMARK_TEST_ROUNDS'] ?? '1',
    },
  },
})

import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { growthFlag, growthPercent } from './heap-growth.ts'

const mebibytes = 1024 * 1024

test.each([
  [10, 400],
  [64, 400],
  [65, 350],
  [100, 200],
  [213, 50],
  [214, 0],
  [4000, 0],
])('a heap of %i MiB may grow by %i percent', (used, percent) => {
  expect(growthPercent(used * mebibytes)).toBe(percent)
})

/** On the command line an unknown one is an error; set later it would be passed over. */
test('Node knows the flag', () => {
  expect(spawnSync(process.execPath, [`${growthFlag}=50`, '--eval', '']).status).toBe(0)
})

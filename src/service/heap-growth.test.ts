import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { growthFlag, growthPercent, youngFlag } from './heap-growth.ts'

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

/** On the command line an unknown flag is an error; set later, it would be ignored. */
test.each([`${growthFlag}=50`, youngFlag])('Node accepts the flag %s', (flag) => {
  expect(spawnSync(process.execPath, [flag, '--eval', '']).status).toBe(0)
})

import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { heapFloorFlag } from './heap-floor.ts'

/** On the command line an unknown flag is an error; set later, it would be ignored. */
test('Node accepts the flag, and rejects a misspelled one', () => {
  expect(spawnSync(process.execPath, [heapFloorFlag, '--eval', '']).status).toBe(0)
  expect(spawnSync(process.execPath, ['--initial-older-space-size=192', '--eval', '']).status).not.toBe(0)
})

import { expect, test } from 'vitest'
import { isMemoryLittle } from './settings.ts'

const mebibyte = 1024 * 1024

test.each([
  ['a gateway', 512, 0, true],
  ['a gateway whose cgroups have no bound', 512, 2 ** 43, true],
  ['a large machine', 16_384, 0, false],
  ['a large machine whose cgroups have no bound', 16_384, 2 ** 43, false],
  ['a cgroup of half a gibibyte', 16_384, 512, true],
  ['a cgroup of one gibibyte', 16_384, 1024, false],
])('%s (%i MiB, allowed %i)', (_, machine, allowed, isLittle) => {
  expect(isMemoryLittle(machine * mebibyte, allowed * mebibyte)).toBe(isLittle)
})

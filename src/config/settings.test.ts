import { expect, test } from 'vitest'
import { isMemoryLittle } from './settings.ts'

const mebibyte = 1024 * 1024

test.each([
  ['a gateway', 512, 0, true],
  ['a gateway with an unlimited cgroup', 512, 2 ** 43, true],
  ['a large machine', 16_384, 0, false],
  ['a large machine with an unlimited cgroup', 16_384, 2 ** 43, false],
  ['a cgroup of 512 MiB', 16_384, 512, true],
  ['a cgroup of 1 GiB', 16_384, 1024, false],
])('whether memory counts as small: %s (%i MiB, cgroup limit %i MiB)', (_, machine, allowed, isLittle) => {
  expect(isMemoryLittle(machine * mebibyte, allowed * mebibyte)).toBe(isLittle)
})

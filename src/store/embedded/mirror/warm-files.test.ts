import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeDisk } from '../../../lib/node-disk.ts'
import { WarmFiles } from './warm-files.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-warm-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const windowBytes = 256 * 1024
const cold = /is read from the disk first/

test('who reads what was not read before is refused, and is not the next time', async () => {
  const path = join(directory, 'a.index')
  writeFileSync(path, Buffer.alloc(2 * windowBytes + 3, 7))
  const files = new WarmFiles(nodeDisk)
  expect(() => files.open(path)).toThrow(cold)
  await expect.poll(() => files.open(path).size()).toBe(2 * windowBytes + 3)
  const file = files.open(path)
  const bytes = new Uint8Array(8)
  expect(file.read(bytes, 8, 100)).toBe(8)
  expect([...bytes]).toEqual(Array(8).fill(7))
  // Across two windows, and behind both of them.
  for (const offset of [windowBytes - 4, 2 * windowBytes]) {
    expect(() => file.read(bytes, 8, offset)).toThrow(cold)
    await expect.poll(() => isRead(() => file.read(bytes, 8, offset))).toBe(true)
  }
  expect(file.read(bytes, 8, 2 * windowBytes)).toBe(3)
  file.close()
})

test('one that cannot be read is refused for ever', async () => {
  const files = new WarmFiles(nodeDisk)
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(() => files.open(join(directory, 'nothing'))).toThrow(cold)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
})

function isRead(read: () => number): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

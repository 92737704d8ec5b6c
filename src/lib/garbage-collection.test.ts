import { expect, test } from 'vitest'
import { GarbageCollection, heldBytes, newCollect } from './garbage-collection.ts'

/** For each check: the memory held by the thread, its utilization, and the memory held afterwards. */
const looks: readonly (readonly [heldMiB: number, utilization: number, thenMiB: number])[] = [
  [60, 0.9, 60],
  [60, 0.01, 40],
  // Too little to be worth a collection.
  [50, 0, 50],
  [56, 0.06, 56],
  [56, 0.05, 45],
  [60, 0, 60],
  [61, 0, 45],
  // V8 collected garbage itself; the memory left then counts.
  [20, 1, 20],
  [36, 0, 20],
]

test('a thread collects garbage when idle and its memory has grown since the last collection', () => {
  const mebibyte = 1024 * 1024
  let held = 0
  let busy = 0
  let then = 0
  let collected = 0
  const collection = new GarbageCollection({
    times: { checkMs: 1, utilizationMax: 0.05, grownBytes: 16 * mebibyte },
    utilization: () => busy,
    heldBytes: () => held * mebibyte,
    collect: () => {
      collected++
      held = then
    },
  })
  const left = looks.map(([heldMiB, utilization, thenMiB]) => {
    held = heldMiB
    busy = utilization
    then = thenMiB
    collection.check()
    return held
  })
  expect(left).toEqual(looks.map(([, , thenMiB]) => thenMiB))
  expect(collected).toBe(4)
  // Less than after the last collection, but known to be garbage.
  held = 19
  collection.check()
  expect(collected).toBe(4)
  collection.noteGarbage(16 * mebibyte)
  then = 3
  collection.check()
  expect([collected, held]).toEqual([5, 3])
})

test('an array without references is freed', () => {
  const collect = newCollect()
  const bytes = 64 * 1024 * 1024
  const beforeBytes = heldBytes()
  const heldWith = (): number => {
    const array = new Uint8Array(bytes)
    return heldBytes() - (bytes - array.byteLength)
  }
  expect(heldWith()).toBeGreaterThanOrEqual(beforeBytes + bytes)
  collect()
  expect(heldBytes()).toBeLessThan(beforeBytes + bytes / 2)
  expect(Reflect.get(globalThis, 'gc')).toBeUndefined()
})

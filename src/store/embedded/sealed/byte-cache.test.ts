import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteCache, type CacheEntry } from './byte-cache.ts'

const anyStep = fc.record({
  kind: fc.constantFrom('use', 'use', 'use', 'use', 'use', 'use', 'forget', 'dropUnused'),
  entry: fc.nat(7),
  bytes: fc.nat(12),
})

test('keeps the most recently used entries within its bound, and drops those unused for a while', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.array(anyStep, { maxLength: 60 }), (bytesMax, steps) => {
      const cache = new ByteCache(bytesMax)
      /** Sorted by last use, oldest first. */
      let model: { entry: number; bytes: number }[] = []
      const used = new Set<number>()
      const kept = new Set<number>()
      const entries = Array.from({ length: 8 }, (_, entry): CacheEntry => ({ evict: () => kept.delete(entry) }))
      for (const { kind, entry, bytes } of steps) {
        if (kind === 'dropUnused') {
          const before = cache.bytes
          const dropped = cache.dropUnused()
          model = model.filter((one) => used.has(one.entry))
          used.clear()
          expect(dropped).toBe(before - cache.bytes)
        } else model = model.filter((one) => one.entry !== entry)
        if (kind === 'forget') {
          cache.forget(entries[entry])
          kept.delete(entry)
        } else if (kind === 'use') {
          kept.add(entry)
          used.add(entry)
          cache.use(entries[entry], bytes)
          model.push({ entry, bytes })
        }
        const sum = () => model.reduce((total, one) => total + one.bytes, 0)
        while (sum() > bytesMax) model.shift()
        expect([...kept].sort()).toEqual(model.map((one) => one.entry).sort())
        expect(cache.bytes).toBe(sum())
        expect(cache.bytes).toBeLessThanOrEqual(bytesMax)
      }
    }),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteCache, type CacheEntry } from './byte-cache.ts'

const anyStep = fc.record({
  kind: fc.constantFrom('use', 'use', 'use', 'forget'),
  entry: fc.nat(7),
  bytes: fc.nat(12),
})

test('keeps what was used last, within its bound', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.array(anyStep, { maxLength: 60 }), (bytesMax, steps) => {
      const cache = new ByteCache(bytesMax)
      /** Oldest use first. */
      let model: { entry: number; bytes: number }[] = []
      const kept = new Set<number>()
      const entries = Array.from({ length: 8 }, (_, entry): CacheEntry => ({ evict: () => kept.delete(entry) }))
      for (const { kind, entry, bytes } of steps) {
        model = model.filter((one) => one.entry !== entry)
        if (kind === 'forget') {
          cache.forget(entries[entry])
          kept.delete(entry)
        } else {
          kept.add(entry)
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

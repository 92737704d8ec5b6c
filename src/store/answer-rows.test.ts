import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Pacer } from '../lib/pacer.ts'
import { AnswerRows } from './answer-rows.ts'

test('sorts rows by a column, stably', async () => {
  const length = fc.oneof(fc.nat(20), fc.integer({ min: 4090, max: 13_000 }))
  await fc.assert(
    fc.asyncProperty(length, fc.integer({ min: 1, max: 50 }), fc.nat(), async (rows, distinct, seed) => {
      const keys = Array.from({ length: rows }, (_, place) => (place * 7919 + seed * (place % 13)) % distinct)
      const pacer = new Pacer({ sliceMs: 5, signal: new AbortController().signal })
      const answer = new AnswerRows(['double'], { resultRows: rows, resultBytes: 1000, buckets: 1 })
      answer.add(keys.map((key) => [key]))
      const order = await answer.inOrderOf([0], pacer)
      const expected = keys.map((_, place) => place).sort((left, right) => keys[left]! - keys[right]!)
      expect([...order]).toEqual(expected)
    }),
    { numRuns: 30 },
  )
})

import { expect, test } from 'vitest'
import { JournalMarks } from './journal-marks.ts'

test('thinning out marks that are being copied removes no other marks', () => {
  const segment = { firstPosition: 0, endPosition: 0, bytes: 0 }
  const marks = new JournalMarks({
    journal: { segments: [segment], durablePosition: 0 },
    changes: () => 0,
    nowMs: () => 1,
  })
  const durable = (count: number): void => {
    for (let made = 0; made < count; made++) {
      segment.endPosition++
      segment.bytes += 10
      marks.durable()
    }
  }
  durable(15_000)
  const [, position, first, offset] = marks.ready(0, 0).at(-1)!
  durable(10_000)
  marks.copiedTo(first, offset)
  expect(marks.first![1]).toBeLessThanOrEqual(position + 2)
  expect(marks.first![3]).toBeGreaterThan(offset)
  expect(marks.last).toEqual([1, 25_000, 0, 250_000])
})

import { expect, test } from 'vitest'
import { GroupTable } from './group-table.ts'

const secondMs = 1000
const dayMs = 86_400_000

test.each<[string, number, (place: number) => [bucketMs: number, combination: number]]>([
  ['few buckets', 100, (place) => [place, 0]],
  ['as many buckets as one table holds', 8192, (place) => [place, 0]],
  ['one bucket more than one table holds', 8193, (place) => [place, 0]],
  ['buckets of seconds', 50_000, (place) => [Date.UTC(2026, 0, 1) + place * secondMs, 0]],
  ['buckets of days before 1970', 50_000, (place) => [-place * dayMs, 0]],
  ['combinations of one bucket without a start', 50_000, (place) => [Number.NEGATIVE_INFINITY, place]],
  ['combinations of some buckets', 50_000, (place) => [(place % 100) * dayMs, Math.floor(place / 100)]],
])('returns each stored group again: %s', (_, length, keyOf) => {
  const table = new GroupTable()
  for (const round of [1, 2]) {
    for (let place = 0; place < length; place++) {
      if (table.take(...keyOf(place), place * round) !== place * round)
        throw new Error(`place ${place} is there already`)
    }
    expect(table.size).toBe(length)
    for (let place = 0; place < length; place++) {
      if (table.take(...keyOf(place), length * 3) !== place * round) throw new Error(`place ${place} of round ${round}`)
    }
    table.clear()
    expect(table.size).toBe(0)
  }
})

import { expect, test } from 'vitest'
import { LargeMap } from './large-map.ts'

type Key = number | bigint | null

test.each<[string, number, (place: number) => Key]>([
  ['few keys', 100, (place) => place],
  ['as many keys as one Map has', 8192, (place) => place],
  ['one key more', 8193, (place) => place],
  ['seconds', 50_000, (place) => Date.UTC(2026, 0, 1) + place * 1000],
  ['days before 1970', 50_000, (place) => -place * 86_400_000],
  ['fractions', 50_000, (place) => place / 7],
  ['longs beyond 2^53', 50_000, (place) => 2n ** 60n - BigInt(place)],
  ['infinity and null', 3, (place) => [Number.NEGATIVE_INFINITY, null, 0][place]!],
])('a map of %s', (_, length, keyOf) => {
  const map = new LargeMap<Key, number>()
  for (const round of [1, 2]) {
    for (let place = 0; place < length; place++) map.add(keyOf(place), place * round)
    expect(map.size).toBe(length)
    for (let place = 0; place < length; place++) {
      if (map.get(keyOf(place)) !== place * round) throw new Error(`place ${place} of round ${round}`)
    }
    expect(map.get(-1.5)).toBeUndefined()
    map.clear()
    expect([map.size, map.get(keyOf(0))]).toEqual([0, undefined])
  }
})

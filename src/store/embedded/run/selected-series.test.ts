import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rounds } from '../../../../test/support/rounds.ts'
import { WatchedPacer } from '../../../../test/support/watched-pacer.ts'
import { compareCodePoints } from '../../../lib/compare-code-points.ts'
import type { Selection } from '../../../model/plan.ts'
import { SeriesIndex } from '../registry/series-index.ts'
import { selectSeries } from './selected-series.ts'

type Filter = Pick<Selection, 'ids' | 'prefixes'>
type Tags = readonly [T: string | null, U: string | null]

const newPacer = (): WatchedPacer => new WatchedPacer({ sliceMs: 0, signal: new AbortController().signal })

function indexOf(series: readonly Tags[]): SeriesIndex {
  const index = new SeriesIndex()
  index.addTag('T')
  index.addTag('U')
  for (const tags of series) index.restore(tags)
  return index
}

/** The series selected for each value of T, or for each combination of these tags. */
async function selected(
  index: SeriesIndex,
  filter: Filter,
  pacer = newPacer(),
  tags: readonly string[] = ['T'],
): Promise<number[][]> {
  const apart = tags.map((name) => index.tag(name)!)
  const { series, bounds } = await selectSeries(index, index.tag('T')!, apart, filter, pacer)
  return Array.from({ length: bounds.length - 1 }, (_, group) => [...series.subarray(bounds[group], bounds[group + 1])])
}

function naively(series: readonly Tags[], { ids, prefixes }: Filter): number[][] {
  const values = [...new Set(series.map(([value]) => value))].filter((value) => {
    if (value === null) return ids === null && prefixes === null
    if (ids !== null && !ids.includes(value)) return false
    return prefixes === null || prefixes.some((prefix) => value.startsWith(prefix))
  })
  const byValue = values.toSorted(compareNullable)
  return byValue.map((value) => [...series.keys()].filter((one) => series[one]![0] === value).reverse())
}

function compareNullable(left: string | null, right: string | null): number {
  if (left === null || right === null) return Number(right === null) - Number(left === null)
  return compareCodePoints(left, right)
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\uffff', '\u{1f600}'), maxLength: 4 })
const texts = fc.option(fc.array(text, { minLength: 1, maxLength: 8 }))

test('ids and prefixes in any order, repeated or overlapping, select as a naive filter and sort do', async () => {
  const some = fc.uniqueArray(fc.tuple(fc.option(text), fc.option(text)), { selector: String, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(some, texts, texts, async (series, ids, prefixes) => {
      const filter = { ids, prefixes }
      expect(await selected(indexOf(series), filter)).toEqual(naively(series, filter))
    }),
    { numRuns: rounds(500) },
  )
})

test('by several tags: each combination separately, in tag order, also as series are added', async () => {
  const some = fc.uniqueArray(fc.tuple(fc.option(text), fc.option(text)), { selector: String, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(some, texts, texts, fc.nat(60), async (series, ids, prefixes, first) => {
      const filter = { ids, prefixes }
      const index = indexOf(series.slice(0, first))
      await selected(index, filter, newPacer(), ['T', 'U'])
      for (const tags of series.slice(first)) index.restore(tags)
      const expected = naively(series, filter).flatMap((ofValue) =>
        ofValue.sort((left, right) => compareNullable(series[left]![1], series[right]![1])).map((one) => [one]),
      )
      expect(await selected(index, filter, newPacer(), ['T', 'U'])).toEqual(expected)
    }),
    { numRuns: rounds(500) },
  )
})

const many = 100_000
const tagName = (place: number): string => `tag${String((place * 7919) % many).padStart(6, '0')}`
const places = (length: number): number[] => Array.from({ length }, (_, place) => place)
const idsOfPrefix = places(50_000).filter((place) => tagName(place).startsWith('tag00')).length

test.each<[string, (place: number) => Tags, Filter, number, string[]?]>([
  ['all values', (place) => [tagName(place), null], { ids: null, prefixes: null }, many],
  ['ids', (place) => [tagName(place), null], { ids: places(50_000).map(tagName), prefixes: null }, 50_000],
  ['prefixes', (place) => [tagName(place), null], { ids: null, prefixes: places(10_000).map(tagName) }, 10_000],
  [
    'ids and prefixes',
    (place) => [tagName(place), null],
    { ids: places(50_000).map(tagName), prefixes: ['tag00'] },
    idsOfPrefix,
  ],
  ['one value of many series', (place) => ['one', `${place}`], { ids: ['one'], prefixes: null }, 1],
  ['all pairs', (place) => [`${place % 100}`, tagName(place)], { ids: null, prefixes: null }, many, ['T', 'U']],
  ['some pairs', (place) => [`${place % 100}`, tagName(place)], { ids: ['7'], prefixes: null }, 1000, ['T', 'U']],
  ['pairs of one value', (place) => ['one', tagName(place)], { ids: ['one'], prefixes: null }, many, ['T', 'U']],
])(
  '%s of 100,000: no step is long, and prefixes are searched for, not tried one by one',
  async (_, tagsOf, filter, values, tags) => {
    const pacer = newPacer()
    const index = indexOf(places(many).map(tagsOf))
    expect(await selected(index, filter, pacer, tags)).toHaveLength(values)
    expect(pacer.stepMax).toBeLessThanOrEqual(65_536)
    expect(pacer.spent).toBeLessThan(many * 400)
  },
)

test('a tag that no row has is created in slices', async () => {
  const index = indexOf(places(many).map((place): Tags => [tagName(place), null]))
  const pacer = newPacer()
  const tag = await index.tagOrNullsPaced('V', pacer)
  expect([tag.codes.length, pacer.stepMax, pacer.spent]).toEqual([many, 8192, many])
})

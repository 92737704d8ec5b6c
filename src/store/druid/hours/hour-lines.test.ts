import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withExactLongs } from '../../../lib/json-with-longs.ts'
import { timeColumn } from '../../../model/druid-row.ts'
import { HourOfMetric, type HourPart, hourParts } from '../../hours/hour-row.ts'
import { HourLines, HourReader, type HoursOf, hourDimensions, lineChunks } from './hour-lines.ts'

const of: HoursOf = {
  tags: [{ name: 'T' }, { name: 'U' }],
  metrics: [
    { name: 'V', type: 'double' },
    { name: 'N', type: 'long' },
  ],
}
const longParts: ReadonlySet<HourPart> = new Set([
  ...(['least', 'greatest', 'total', 'item_least', 'item_greatest', 'first', 'last'] as const),
])

const metricOf = (isLong: boolean): fc.Arbitrary<HourOfMetric | null> => {
  const double = fc.double({ noDefaultInfinity: true, noNaN: true })
  const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  return fc.option(
    fc.tuple(fc.array(fc.option(fc.tuple(double, long)), { minLength: 31, maxLength: 31 })).map(([parts]) => {
      const metric = new HourOfMetric()
      metric.set('count', 1)
      for (const [index, part] of hourParts.entries()) {
        const drawn = parts[index]
        if (drawn === null || drawn === undefined) continue
        const [value, digits] = drawn
        if (!isLong || !longParts.has(part)) metric.set(part, value)
        else metric.set(part, Number(digits), Math.abs(Number(digits)) >= 2 ** 53 ? digits : null)
      }
      return metric
    }),
  )
}

test('an hour is read back as written, digit for digit', () => {
  const tag = fc.option(fc.string({ unit: 'grapheme' }))
  const hours = fc.record({ tags: fc.tuple(tag, tag), metrics: fc.tuple(metricOf(false), metricOf(true)) })
  const [lines, reader] = [new HourLines(of), new HourReader(of)]
  fc.assert(
    fc.property(hours, ({ tags, metrics }) => {
      const line = lines.line({ tags, hour: { hourMs: 7_200_000, position: 1, rows: 3, metrics } }, 9)
      // Rows as Druid returns them for a scan: columns by position, long integers as digits.
      const members = JSON.parse(withExactLongs(line)) as Record<string, unknown>
      const row = reader.columns.map((column) => members[column] ?? null)
      expect(reader.read(row)).toEqual({ tags, hour: { hourMs: 7_200_000, position: 9, rows: 3, metrics } })
    }),
  )
})

test('Druid has a dimension for each column of a line, and longs beyond double precision are read as digits', () => {
  const reader = new HourReader(of)
  const dimensions = hourDimensions(of)
  expect(reader.columns).toEqual([timeColumn, ...dimensions.map(({ name }) => name)])
  expect(dimensions.slice(0, 4).map(({ name, type }) => `${name} ${type}`)).toEqual([
    ...['T string', 'U string', ':position long', ':rows long'],
  ])
  const longs = reader.longs.map((place) => reader.columns[place]).filter((name) => name?.startsWith('N'))
  expect(longs).toEqual(
    ['least', 'greatest', 'total', 'item_least', 'item_greatest', 'first', 'last'].map((part) => `N@${part}`),
  )
})

test('lines are split into chunks of limited bytes, and a longer line is a chunk of its own', async () => {
  async function* lines() {
    yield* ['ä', 'bb', 'cccccccccc', 'd', 'e']
  }
  const chunks: string[] = []
  for await (const chunk of lineChunks(lines(), 6)) chunks.push(chunk)
  expect(chunks).toEqual(['ä\nbb', 'cccccccccc', 'd\ne'])
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Fraction } from '../../../../test/support/fraction.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import {
  allTypes,
  anyEntity,
  anyWriting,
  everything,
  hourMs,
  type Row,
  rowsOf,
  temporaryFolder,
  writeEntity,
} from '../../../../test/support/sealed-files.ts'
import { lostIn } from '../../../lib/lost-in-sum.ts'
import type { SeriesRollups } from '../reading/sealed-source.ts'
import { sumRows } from '../run/sum.ts'

const folder = temporaryFolder()

function within(rows: readonly Row[], fromMs: number, toMs: number): Row[] {
  return rows.filter(({ ms }) => ms >= fromMs && ms <= toMs)
}

/** The nearest double, and the remainder. */
function totalOf(sum: number, error: number): readonly number[] {
  const total = sum + error
  return [total, lostIn(sum, error, total)]
}

/** Whether doubles represent exactly, after each fall, the fall and the totals of the falls and of the values after them. */
function areExact(falls: readonly (readonly [from: number, to: number])[]): boolean {
  const isDouble = (exact: Fraction): boolean =>
    Number.isFinite(exact.value) && exact.minus(Fraction.of(exact.value)).numerator === 0n
  let [fallen, restarted] = [Fraction.zero, Fraction.zero]
  return falls.every(([from, to]) => {
    const drop = Fraction.of(from).minus(Fraction.of(to))
    fallen = fallen.plus(drop)
    restarted = restarted.plus(Fraction.of(Math.max(0, to)))
    return [drop, fallen, restarted].every(isDouble)
  })
}

/** Checks the rollups of an hour against its rows, all of which have a value in the column. */
function expectHour(rollups: SeriesRollups, column: number, hour: number, rows: readonly Row[]): void {
  const told = rollups.items(column)!
  const items = rows.map(({ ms, values }) => ({ ms, value: values[column]! }))
  const pairs = items.slice(1).map((to, place) => ({ from: items[place], to, ms: to.ms - items[place].ms }))
  const held = pairs.reduce((sum, { from, ms }) => sum + Number(from.value) * ms, 0)
  const line = pairs.reduce((sum, { from, to, ms }) => sum + (Number(from.value) / 2 + Number(to.value) / 2) * ms, 0)
  const size = pairs.reduce(
    (sum, { from, to, ms }) => sum + (Math.abs(Number(from.value)) + Math.abs(Number(to.value))) * ms,
    0,
  )
  if (told.longestGapMs[hour] < 0) {
    const isHuge = items.some(({ value }) => typeof value === 'bigint') || !Number.isFinite(size)
    expect(isHuge || pairs.some(({ ms }) => ms === 0)).toBe(true)
    return
  }
  expect(pairs.some(({ ms }) => ms === 0)).toBe(false)
  const [first, last] = [items[0], items[items.length - 1]]
  expect([told.firstMs[hour], told.first[hour], told.lastMs[hour], told.last[hour]]).toEqual([
    first.ms,
    first.value,
    last.ms,
    last.value,
  ])
  expect(told.longestGapMs[hour]).toBe(Math.max(0, ...pairs.map(({ ms }) => ms)))
  if (Number.isFinite(size)) {
    const isEven = pairs.every(({ ms }) => ms === pairs[0].ms)
    // The integrals of evenly spaced items come from the sum of their values, so they are not known if that is not finite.
    if (!isEven || Number.isFinite(rollups.column(column)!.sums[hour])) {
      expect(Math.abs(told.held[hour] - held)).toBeLessThanOrEqual(size * 1e-12)
      expect(Math.abs(told.line[hour] - line)).toBeLessThanOrEqual(size * 1e-12)
    }
  }
  const falls = pairs.filter(({ from, to }) => to.value < from.value)
  const counted = rollups.falls(column)?.counts[hour] ?? 0
  const isKept = falls.length <= 4 && areExact(falls.map(({ from, to }) => [Number(from.value), Number(to.value)]))
  expect(counted).toBe(isKept ? falls.length : Number.NaN)
  const aboutFirst = rollups.squares(column)?.aboutFirst[hour]
  const squares = pairs.reduce((sum, { to }) => sum + (Number(to.value) - Number(first.value)) ** 2, 0)
  // NaN if doubles cannot represent it.
  if (aboutFirst !== undefined && !Number.isNaN(aboutFirst)) {
    const rounding = Number.EPSILON * Math.max(...items.map(({ value }) => Math.abs(Number(value))))
    const lostMax =
      4 * (rounding + Number.EPSILON * Math.sqrt(squares)) * (items.length * Math.sqrt(squares) + rounding)
    expect(Math.abs(aboutFirst - squares)).toBeLessThanOrEqual(lostMax)
  }
  const dates = rollups.boundDates(column)
  if (dates === null) return
  const values = items.map(({ value }) => Number(value))
  expect([dates.leastMs[hour], dates.greatestMs[hour]]).toEqual([
    items[values.indexOf(Math.min(...values))].ms,
    items[values.indexOf(Math.max(...values))].ms,
  ])
}

describe('a file', () => {
  test('of random content is read back as written', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyEntity,
        anyWriting,
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.tuple(fc.nat(200 * hourMs), fc.nat(200 * hourMs)), { maxLength: 4 }),
        fc.constantFrom(0, 2000, 1 << 20),
        async (entity, writing, sliceRows, ranges, cacheBytes) => {
          const caches = { pageCacheBytes: cacheBytes, indexCacheBytes: cacheBytes, openFilesMax: 1 }
          const { file, series } = await writeEntity(folder.path, entity, { writing, sliceRows, folder: caches })
          const columns = [...allTypes.keys()]
          for (const pass of ['cached', 'once'] as const) {
            const reader = file.open(columns, pass)
            expect(everything(reader, columns.length)).toEqual(series.map(({ rows }) => rows))
          }
          const reader = file.open(columns, 'cached')
          for (const [place, { number, rows }] of series.entries()) {
            expect(reader.seriesAt(place)).toBe(number)
            expect(reader.find(number)).toBe(place)
            expect(reader.rows(place)).toBe(rows.length)
            expect(reader.firstMs(place)).toBe(rows[0].ms)
            expect(reader.lastMs(place)).toBe(rows.at(-1)?.ms)
            const tail = reader.tail(place)
            if (tail !== null) expect(rowsOf(tail, columns.length)).toEqual([rows.at(-1)])
            for (const [column, [, type]] of allTypes.entries()) {
              const isCommon = rows.every(({ values }) => values[column] === rows[0].values[column])
              const mayBeKnown = tail !== null && (type === 'string' || type === 'boolean')
              expect(reader.commonRow(place, [column])).toEqual(mayBeKnown && isCommon ? tail : null)
            }
            for (const [start, length] of ranges) {
              const fromMs = 1_700_000_000_000 + start
              const expected = within(rows, fromMs, fromMs + length)
              const forward = [...reader.forward(place, fromMs, fromMs + length)]
              const backward = [...reader.backward(place, fromMs, fromMs + length)]
              expect(forward.flatMap((slice) => rowsOf(slice, columns.length))).toEqual(expected)
              expect(backward.toReversed().map((slice) => rowsOf(slice, columns.length))).toEqual(
                forward.map((slice) => rowsOf(slice, columns.length)),
              )
              expect(forward.every((slice) => slice.end > slice.start)).toBe(true)
              const first = rows.indexOf(expected[0])
              const numbered = first === -1 ? [] : [...reader.rowsAt(place, first, first + expected.length)]
              expect(numbered.flatMap((slice) => rowsOf(slice, columns.length))).toEqual(expected)
            }
          }
          expect(reader.find(entity.series.length)).toBe(-1)
        },
      ),
      { numRuns: rounds(60) },
    )
  })

  test('has the hourly sums of its rows', async () => {
    await fc.assert(
      fc.asyncProperty(anyEntity, anyWriting, fc.integer({ min: 1, max: 30 }), async (entity, writing, sliceRows) => {
        const { file, series } = await writeEntity(folder.path, entity, {
          writing: { ...writing, hourRowsMin: 0 },
          sliceRows,
        })
        const reader = file.open([0, 1], 'cached')
        for (const [place, { rows }] of series.entries()) {
          const fromMs = Math.floor(rows[rows.length >> 1].ms / hourMs) * hourMs
          for (const [from, to] of [
            [0, 2 ** 52],
            [fromMs, fromMs + 2 * hourMs],
          ]) {
            const expected = within(rows, from, to - 1)
            const hours = [...new Set(expected.map(({ ms }) => Math.floor(ms / hourMs) * hourMs))]
            const rollups = reader.hours(place, from, to)
            expect([...(rollups?.hoursMs ?? [])].slice(0, rollups?.length)).toEqual(hours)
            for (const column of [0, 1]) {
              const sums = rollups?.column(column) ?? null
              for (const [entry, hour] of hours.entries()) {
                const values = within(expected, hour, hour + hourMs - 1).map(({ values }) => values[column])
                const numbers = Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value)))
                const sum = { sum: 0, error: 0, count: 0 }
                sumRows(numbers, 0, numbers.length, 1, sum)
                const isSound = Number.isFinite(sum.sum + sum.error)
                expect(sums?.counts[entry] ?? 0).toBe(sum.count)
                // The total is exactly the same, but may be split differently into sum and error.
                const found = totalOf(sums?.sums[entry] ?? 0, sums?.errors?.[entry] ?? 0)
                expect(found).toEqual(totalOf(isSound ? sum.sum : Number.NaN, isSound ? sum.error : 0))
              }
            }
          }
        }
      }),
      { numRuns: rounds(60) },
    )
  })

  test('has hourly rollups of its values in order', async () => {
    await fc.assert(
      fc.asyncProperty(anyEntity, anyWriting, fc.integer({ min: 1, max: 30 }), async (entity, writing, sliceRows) => {
        const options = { writing: { ...writing, hourRowsMin: 0 }, sliceRows }
        const { file, series } = await writeEntity(folder.path, entity, options)
        const reader = file.open([0, 1], 'cached')
        for (const [place, { rows }] of series.entries()) {
          const rollups = reader.hours(place, 0, 2 ** 52)
          for (const column of [0, 1]) {
            for (let hour = 0; hour < (rollups?.length ?? 0); hour++) {
              const startMs = rollups!.hoursMs[hour]
              const valued = within(rows, startMs, startMs + hourMs - 1).filter(({ values }) => values[column] !== null)
              if (valued.length > 0) expectHour(rollups!, column, hour, valued)
            }
          }
        }
      }),
      { numRuns: rounds(60) },
    )
  })

  test.each<readonly [string, readonly (number | null)[][], ReadonlyMap<string, number | null>]>([
    ['the same in all row groups', [[1.5], [2.5]], new Map([['V', 1]])],
    ['more in later row groups', [[1], [1.5], [0.125]], new Map([['V', 3]])],
    ['none in a later row group', [[1.5], [2.25], [Math.PI]], new Map([['V', null]])],
    ['none because of -0', [[1], [-0]], new Map([['V', null]])],
    ['nulls before the first value', [[null], [null], [1.25]], new Map([['V', 2]])],
    ['nulls only', [[null], [null]], new Map()],
  ])('has one number of digits for all row groups: %s', async (_, groups, digits) => {
    const series = groups.map((values, number) => ({
      tags: [`series ${number}`],
      rows: values.map((value, row) => ({ ms: row, position: number + row, values: [value] })),
    }))
    const entity = { tags: ['T'], columns: [['V', 'double']] as const, series }
    const writing = { pageRows: 1, sharedPageRows: 1, groupRows: 1 }
    const { file } = await writeEntity(folder.path, entity, { writing })
    expect(file.digits).toEqual(digits)
    expect(everything(file.open([0], 'cached'), 1)).toEqual(series.map(({ rows }) => rows))
  })
})

test.each([
  [95, [false, false]],
  [96, [true, false]],
  [192, [true, true]],
])(
  'with %i bytes for rollups, of which an hour of evenly spaced numbers takes 96, series have rollups: %j',
  async (rollupBytesMax, expected) => {
    const series = ['a', 'b'].map((tag) => ({
      tags: [tag],
      rows: Array.from({ length: 40 }, (_, row) => ({ ms: row * 1000, position: row, values: [row / 4] })),
    }))
    const plant = { tags: ['T'], columns: [['V', 'double']] as const, series }
    const { file } = await writeEntity(folder.path, plant, { writing: { rollupBytesMax } })
    const reader = file.open([0], 'cached')
    expect([0, 1].map((place) => reader.hours(place, 0, hourMs) !== null)).toEqual(expected)
  },
)

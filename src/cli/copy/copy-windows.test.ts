import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { msPerDay } from '../../model/instant.ts'
import { type CopyRange, windowsOf } from './copy-windows.ts'

/** Rows at these dates, at most `rowsMax` per response; records the requests. */
function sourceOf(dates: readonly number[], rowsMax: number) {
  const asked: string[] = []
  return {
    asked,
    select: async ({ startMs, endMs }: CopyRange) => {
      asked.push(`${startMs}+${endMs - startMs + 1}`)
      const found = dates.filter((ms) => ms >= startMs && ms <= endMs)
      return found.length > rowsMax ? null : found.map((ms) => Buffer.from(String(ms)))
    },
    nextMs: async (afterMs: number) => {
      asked.push(`next ${afterMs}`)
      return dates.find((ms) => ms > afterMs) ?? null
    },
  }
}

async function read(range: CopyRange, source: ReturnType<typeof sourceOf>): Promise<number[]> {
  const rows: number[] = []
  for await (const lines of windowsOf(range, source)) rows.push(...lines.map((line) => Number(line.toString())))
  return rows
}

const hourMs = 3_600_000

describe('windowsOf', () => {
  test.each([
    ['a day in one window', [0, 5], 10, { startMs: 0, endMs: 5 }, ['0+6']],
    ['a window halved because it has too many rows', [0, 1, 2, 3], 2, { startMs: 0, endMs: 3 }, ['0+4', '0+2', '2+2']],
    [
      'a gap that is skipped',
      [0, 900 * msPerDay],
      10,
      { startMs: 0, endMs: 900 * msPerDay },
      [`0+${msPerDay}`, `${msPerDay}+${2 * msPerDay}`, `next ${3 * msPerDay - 1}`, `${900 * msPerDay}+1`],
    ],
    ['a range without rows', [], 10, { startMs: 7, endMs: 9 * hourMs }, [`7+${9 * hourMs - 6}`]],
  ])('requests %s', async (_name, dates, rowsMax, range, asked) => {
    const source = sourceOf(dates, rowsMax)
    expect(await read(range, source)).toEqual(dates)
    expect(source.asked).toEqual(asked)
  })

  test('widens the window when rows are sparse', async () => {
    const dates = Array.from({ length: 400 }, (_, day) => day * msPerDay)
    const source = sourceOf(dates, 1000)
    expect(await read({ startMs: 0, endMs: 399 * msPerDay }, source)).toEqual(dates)
    expect(source.asked.length).toBeLessThan(20)
  })

  test('refuses a millisecond with too many rows, and names the limit to raise', async () => {
    await expect(read({ startMs: 0, endMs: 10 }, sourceOf([4, 4, 4], 2))).rejects.toThrow(
      /1970-01-01T00:00:00.004Z.*resultRows/,
    )
  })

  test('reads each row once, for any limit and range', async () => {
    const dates = fc
      .array(fc.integer({ min: -3 * msPerDay, max: 90 * msPerDay }), { maxLength: 60 })
      .map((all) => [...new Set(all)].sort((a, b) => a - b))
    const ends = fc.tuple(fc.integer({ min: -msPerDay, max: 9 * msPerDay }), fc.nat(80 * msPerDay))
    await fc.assert(
      fc.asyncProperty(dates, ends, fc.integer({ min: 1, max: 20 }), async (all, [startMs, lengthMs], rowsMax) => {
        const endMs = startMs + lengthMs
        const expected = all.filter((ms) => ms >= startMs && ms <= endMs)
        expect(await read({ startMs, endMs }, sourceOf(all, rowsMax))).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })
})

import { expect, test } from 'vitest'
import type { HiddenRows } from '../../model/deletion.ts'
import { type QueryTarget, timeBoundary } from './druid-query.ts'

const dayMs = 86_400_000

/** A deletion of a tag's rows on a range of days, pushed before the deletion. */
const hiding = (fromDay: number, toDay: number, tag = 'a'): HiddenRows => ({
  selection: {
    ...{ tag: 'T', ids: [tag], prefixes: null, metrics: null, where: null },
    ...{ fromMs: fromDay * dayMs, toMs: (toDay + 1) * dayMs - 1 },
  },
  pushed: [{ from: 0, before: 1 }],
  items: null,
})

/** Druid with a row of the tag `a` on each day. `asked` has the number of deletions that each query carries. */
function druidOf(days: readonly number[]) {
  const asked: number[] = []
  const query = async function* (_: unknown, body: object): AsyncGenerator<Buffer> {
    const ranges = [
      ...JSON.stringify(body).matchAll(/"column":"__time","matchValueType":"LONG","lower":(\d+),"upper":(\d+)/g),
    ]
    const ofOthers = JSON.stringify(body).includes('"b"')
    asked.push(ranges.length)
    const left = days.filter(
      (day) =>
        ofOthers || !ranges.some(([, lower, upper]) => Number(lower) <= day * dayMs && day * dayMs <= Number(upper)),
    )
    const dates = { minTime: new Date(Math.min(...left) * dayMs), maxTime: new Date(Math.max(...left) * dayMs) }
    yield Buffer.from(JSON.stringify(left.length === 0 ? [] : [{ result: dates }]))
  }
  return { query, asked }
}

const few = (days: readonly number[], tag?: string): HiddenRows[] => days.map((day) => hiding(day, day, tag))

test.each<[what: string, days: number[], hidden: HiddenRows[], bounds: [number, number] | null, asked: number[]]>([
  ['nothing is hidden', [1, 5], [], [1, 5], [0]],
  ['the hidden rows lie between', [1, 3, 5], few([2, 3, 4]), [1, 5], [0]],
  ['deletions of these dates hide other tags', [1, 3, 5], few([1, 3, 5], 'b'), [1, 5], [0, 2]],
  ['the first row is hidden', [1, 2, 5], few([1, 3, 4]), [2, 5], [0, 1]],
  ['the following rows are hidden too', [1, 2, 3, 5], few([1, 2, 4]), [3, 5], [0, 1, 3]],
  ['all rows are hidden', [1, 5], [hiding(0, 9)], null, [0, 1]],
  ['there are no rows', [], few([1]), null, [0]],
])('timeBoundary returns the first and last visible date when %s', async (_, days, hidden, bounds, asked) => {
  const druid = druidOf(days)
  const target: QueryTarget = {
    ...{ client: druid, dataSource: 'rows', hidden, timeoutMs: 1000 },
    signal: new AbortController().signal,
  }
  const expected = bounds && { minMs: bounds[0] * dayMs, maxMs: bounds[1] * dayMs }
  expect(await timeBoundary(target)).toEqual(expected)
  expect(druid.asked).toEqual(asked)
})

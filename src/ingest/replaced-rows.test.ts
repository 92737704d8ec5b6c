import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RowBatch } from '../model/row-batch.ts'
import { ReplacedRows } from './replaced-rows.ts'

type Row = readonly [ms: number, first: string, second: string]

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'A', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'B', type: 'string', role: 'tag' },
] as const

/** Rows of a push at these positions, in the form of one step, with its own dictionaries. */
function batchOf(rows: readonly (readonly [number, Row])[]): RowBatch {
  const texts = [...new Set(rows.flatMap(([, [, first, second]]) => [second, first]))].toReversed()
  const codes = (tag: 1 | 2) => Int32Array.from(rows, ([, row]) => texts.indexOf(row[tag]))
  return {
    ...{ entityId: 1, rows: rows.length, fields, pushedNulls: fields.map(() => null) },
    positions: Float64Array.from(rows, ([position]) => position),
    columns: [
      { type: 'timestamp', values: Float64Array.from(rows, ([, [ms]]) => ms) },
      { type: 'string', codes: codes(1), dictionary: texts },
      { type: 'double', values: new Float64Array(rows.length) },
      { type: 'string', codes: codes(2), dictionary: texts },
    ],
  }
}

function replacedOf(rows: readonly Row[]): number {
  return rows.length - new Set(rows.map((row) => JSON.stringify(row))).size
}

const row = fc.tuple(
  fc.constantFrom(-8.64e15, -1, 0, 1, 2 ** 32, 8.64e15),
  fc.constantFrom('a', 'b', ''),
  fc.constantFrom('a', 'ab'),
)
/** The rows of a push, some of them rejected. */
const push = fc.array(fc.tuple(row, fc.boolean()), { maxLength: 60 })

test('counts rows that repeat time and tags of an earlier row of their push, for any steps, repeated ones too', () => {
  fc.assert(
    fc.property(
      fc.array(push, { maxLength: 4 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 70 })),
      (pushes, sizes) => {
        const rows = pushes.flatMap((one, at) => one.map(([values, isGood]) => ({ values, isGood, at })))
        let end = 0
        const entries = pushes.map(({ length }) => {
          const position = end
          end += Math.max(1, length)
          return { position, rows: length }
        })
        const positions = entries.flatMap((entry) =>
          Array.from({ length: entry.rows }, (_, index) => entry.position + index),
        )
        const replaced = new ReplacedRows()
        const reported = new Map<number, number>()
        for (let from = 0; from < rows.length; ) {
          const to = Math.min(rows.length, from + sizes.next().value)
          const step = rows.slice(from, to).map((one, index) => ({ ...one, position: positions[from + index]! }))
          const good = step.filter(({ isGood }) => isGood).map((one) => [one.position, one.values] as const)
          const parts = entries.filter((_, at) => step.some((one) => one.at === at))
          const spans = parts.map((entry) => {
            const own = step.filter((one) => entries[one.at] === entry)
            return { position: own[0]!.position, rows: own.length }
          })
          const run = { ingestId: 3, batch: good.length === 0 ? null : batchOf(good), spans }
          const found = replaced.count(parts, [run])
          // The catalog was unavailable, so the step is repeated.
          expect(replaced.count(parts, [run])).toEqual(found)
          for (const one of found) reported.set(one.batchPosition, one.rows)
          replaced.kept(positions[to] ?? end)
          from = to
        }
        const expected = pushes.map((one) => replacedOf(one.filter(([, isGood]) => isGood).map(([values]) => values)))
        expect(entries.map(({ position }) => reported.get(position) ?? 0)).toEqual(expected)
      },
    ),
  )
})

test('counts nothing for an entity that keeps duplicates', () => {
  const { pushedNulls: _, ...batch } = batchOf([
    [0, [1, 'a', 'a']],
    [1, [1, 'a', 'a']],
  ])
  const spans = [{ position: 0, rows: 2 }]
  expect(new ReplacedRows().count(spans, [{ ingestId: 1, batch, spans }])).toEqual([])
})

import { expect, test } from 'vitest'
import { SimulatedDruid } from '../../../../test/simulation/simulated-druid.ts'
import { tag, time, value } from '../../../../test/support/selection.ts'
import { Pacer } from '../../../lib/pacer.ts'
import { nullsColumn, positionColumn, timeColumn } from '../../../model/druid-row.ts'
import type { Entity, EntityField } from '../../../model/entity.ts'
import { expiredItems } from './expired-items.ts'

const text: EntityField = { name: 'S', type: 'string', role: 'metric' }
const quality: EntityField = { name: 'Q', type: 'string', role: 'quality' }
const fields = [time, tag, text, value, quality]
const dayMs = 86_400_000

/** Time, tag, V, S and quality of each row; its index is its position. */
const rows: readonly (readonly [number, string | null, number | null, string | null, string | null])[] = [
  [5, 'a', 1, null, null],
  [3, 'b', null, 'x', 'bad'],
  [5, 'a', null, 'y', 'good'],
  [3, null, null, null, null],
  [dayMs + 1, 'a', 4, null, null],
  [3 * dayMs, 'a', 5, null, null],
  [4, 'a', 6, null, null],
]

test.each<[Entity['duplicates'], unknown[]]>([
  [
    'keep',
    [
      [3, 'b', 'bad', null, 1],
      [3, null, null, null, 3],
      [5, 'a', null, 1, 0],
      [5, 'a', 'good', null, 2],
      [dayMs + 1, 'a', null, 4, 4],
    ],
  ],
  [
    'replace',
    [
      [3, 'b', 'bad', null, 1],
      [5, 'a', 'good', 1, 2],
      [dayMs + 1, 'a', null, 4, 4],
    ],
  ],
])('reads the expired items of the given positions by time and position: %s', async (duplicates, expected) => {
  const druid = new SimulatedDruid()
  for (const [position, [ms, T, V, S, Q]] of rows.entries()) {
    druid.rowsOf('e').push({ [timeColumn]: ms, T, V, S, Q, [nullsColumn]: null, [positionColumn]: position })
  }
  const { signal } = new AbortController()
  const target = { client: druid, dataSource: 'e', hidden: [], timeoutMs: 1000, signal }
  const leaving = { dates: { fromMs: 0, toMs: 2 * dayMs - 1 }, pushed: [{ from: 0, before: 6 }] }
  const read: unknown[] = []
  const run = { target, pacer: new Pacer({ sliceMs: 5, signal }) }
  for await (const items of expiredItems({ id: 1, fields, duplicates }, leaving, run)) {
    // The text follows the columns that hours are kept of.
    for (const item of items) read.push([...item.slice(0, 4), item.at(-1)])
  }
  expect(read).toEqual(expected)
})

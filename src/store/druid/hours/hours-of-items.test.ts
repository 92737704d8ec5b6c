import { expect, test } from 'vitest'
import type { EntityField } from '../../../model/entity.ts'
import { hoursOfItems, type Item, itemFields } from './hours-of-items.ts'

const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'Q', type: 'string', role: 'quality' },
  { name: 'S', type: 'string', role: 'metric' },
  { name: 'N', type: 'long', role: 'metric' },
]
const hourMs = 3_600_000

test('returns hours by date, then tags, across batches of items', async () => {
  // Time, tag, quality, V, N and position.
  async function* parts(): AsyncGenerator<readonly Item[]> {
    yield [
      [0, 'b', null, 1, null, 1],
      [5, 'a', null, 2, '9007199254740993', 2],
    ]
    yield [
      [6, 'a', 'bad', 4, null, 7],
      [hourMs, 'a', null, null, 3, 4],
    ]
    yield [[3 * hourMs, null, null, 1, null, 5]]
  }
  const hours: unknown[] = []
  for await (const { tags, hour } of hoursOfItems(parts(), itemFields({ fields }))) {
    const [v, n] = hour.metrics
    const sums = [v?.get('count'), v?.get('sum'), v?.get('good_sum'), n?.digits('total') ?? n?.get('total')]
    hours.push([hour.hourMs, tags[0], hour.rows, hour.position, ...sums])
  }
  const none = undefined
  expect(hours).toEqual([
    [0, 'a', 2, 7, 2, 6, 2, 9007199254740993n],
    [0, 'b', 1, 1, 1, 1, Number.NaN, none],
    [hourMs, 'a', 1, 4, none, none, none, 3],
    [3 * hourMs, null, 1, 5, 1, 1, Number.NaN, none],
  ])
})

import { expect, test } from 'vitest'
import { rowsOf } from '../../../test/support/expect-rows.ts'
import { columnOf } from '../../../test/support/random-rows.ts'
import type { EntityField } from '../../model/entity.ts'
import { parseGranularity } from '../../model/granularity.ts'
import type { AggregatePlan } from '../../model/plan.ts'
import { EmbeddedStore } from '../embedded/embedded-store.ts'

test('the values held until a tag is complete are limited, also for one row of many metrics', async () => {
  const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
  const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
  const metrics = Array.from(
    { length: 45 },
    (_, at): EntityField => ({ name: `V${at}`, type: 'double', role: 'metric' }),
  )
  const store = new EmbeddedStore()
  store.write({
    entityId: 1,
    rows: 1,
    positions: Float64Array.of(0),
    fields: [time, tag, ...metrics],
    columns: [columnOf('timestamp', [0]), columnOf('string', ['a']), ...metrics.map(() => columnOf('double', [1]))],
  })
  const plan: AggregatePlan = {
    kind: 'aggregate',
    selection: { entityId: 1, sinceMs: null, time, tags: [tag], ids: null, prefixes: null, metrics, fields: [] },
    range: { fromMs: 0, toMs: 99_999 },
    granularity: parseGranularity('none')!,
    values: { metrics: metrics.map(() => ({ shape: 'line', maxGap: null })), shapeOfTag: [], nowMs: 1e9 },
    columns: metrics.map(({ name }, metric) => ({ name, metric, aggregate: 'time_mean' })),
    onlyKnown: true,
    totalUnitMs: 1,
    counter: { reset: 'zero', wrap: null },
  }
  await expect(rowsOf(store, plan)).rejects.toMatchObject({
    code: 'result_too_large',
    message: expect.stringContaining('would hold more than 4000000 values'),
  })
})

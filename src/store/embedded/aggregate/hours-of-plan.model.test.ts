// Filters and groups that hours of rollups may answer, over series with many rows per hour, compared with a naive evaluation.
import fc from 'fast-check'
import { test } from 'vitest'
import { MemoryFolder } from '../../../../test/support/memory-files.ts'
import { expectGroups } from '../../../../test/support/model-aggregation.ts'
import type { ModelRow } from '../../../../test/support/model-store.ts'
import { columnOf, type Draw, drawFrom, oneOf } from '../../../../test/support/random-rows.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import type { AggregationPlan, StoreAggregate } from '../../../algebra/aggregation.ts'
import { allOf, call, fieldNode, literal, not, type Scalar } from '../../../algebra/scalar.ts'
import { Pacer } from '../../../lib/pacer.ts'
import type { EntityField } from '../../../model/entity.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import { sealRows } from '../sealing/sealer.ts'

const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const value: EntityField = { name: 'V', type: 'double', role: 'metric' }
const sparse: EntityField = { name: 'W', type: 'double', role: 'metric' }
const plant: EntityField = { name: 'P', type: 'string', role: 'dimension' }
const fields = [time, tag, value, sparse, plant]
const { signal } = new AbortController()

/** Four series with one row per minute: values rise and fall over some hours, and one series changes its plant. */
function randomRows(draw: Draw): ModelRow[] {
  const minutes = 150 + draw(300)
  const isComplete = draw(4) > 0
  return Array.from({ length: minutes * 4 }, (_, position) => {
    const minute = Math.floor(position / 4)
    const series = position % 4
    const high = Math.round(5 + 5 * Math.sin(minute / 90 + series))
    return {
      entityId: 1,
      position,
      values: {
        D: minute * 60_000 + draw(60_000),
        T: `t${series}`,
        V: isComplete || draw(40) > 0 ? high : null,
        W: draw(3) > 0 ? 4 + draw(3) : null,
        P: series === 3 && draw(2) === 0 ? 'moved' : `p${series % 2}`,
      },
    }
  })
}

async function storeOf(rows: readonly ModelRow[], draw: Draw): Promise<EmbeddedStore> {
  const store = new EmbeddedStore()
  const columns = fields.map(({ name, type }) =>
    columnOf(
      type,
      rows.map(({ values }) => values[name]!),
    ),
  )
  const positions = Float64Array.from(rows, ({ position }) => position)
  store.write({ entityId: 1, rows: rows.length, positions, fields, columns })
  const shape = { pageRows: 5 + draw(200), hasRollups: draw(8) > 0, hasTails: draw(8) > 0 }
  const folder = new MemoryFolder((entityId) => store.registry(entityId), shape)
  const frozen = store.freeze(rows.length)
  const pacer = new Pacer({ sliceMs: 1000, signal })
  const add = await sealRows(frozen, { folder, dayRowsMin: 1, sinceMs: () => null, pacer, reach: () => undefined })
  store.switchFiles({ add, remove: [], frozen, gone: () => undefined })
  return store
}

function randomRange(draw: Draw): Scalar {
  const field = draw(4) === 0 ? sparse : value
  const compared = (): Scalar => {
    const operator = oneOf(draw, ['=', '<>', '<', '<=', '>', '>='] as const)
    return call('boolean', operator, [fieldNode(field), literal('double', draw(12) - 1)])
  }
  const range =
    draw(2) === 0 ? compared() : call('boolean', oneOf(draw, ['and', 'or'] as const), [compared(), compared()])
  return draw(4) === 0 ? not(range) : range
}

const oneOfTexts = (field: EntityField, ...texts: readonly string[]): Scalar =>
  call('boolean', 'in', [fieldNode(field), ...texts.map((text) => literal('string', text))])

function randomFilter(draw: Draw): Scalar | null {
  const among = oneOfTexts(plant, oneOf(draw, ['p0', 'moved']))
  const ofPlant = draw(2) === 0 ? not(among) : among
  const ofTag = oneOfTexts(tag, 't1', 't3')
  const filters = [randomRange(draw), randomRange(draw), ofPlant, ofTag].filter(() => draw(2) === 0)
  return draw(2) === 0 ? allOf(filters) : (filters[0] ?? null)
}

function randomPlan(draw: Draw): AggregationPlan {
  const aggregates: readonly StoreAggregate[] = [
    { kind: 'rows' },
    { kind: 'values', field: sparse },
    { kind: 'sum', type: 'double', field: value },
    { kind: 'least', type: 'double', field: value },
    { kind: 'greatest', type: 'double', field: sparse },
  ]
  const minute = (): number => draw(460) * 60_000
  const [fromMs, toMs] = [minute(), minute() + draw(2)].sort((left, right) => left - right)
  return {
    entityId: 1,
    sinceMs: null,
    time,
    tags: [tag],
    ranges: [
      oneOf(draw, [
        { fromMs: fromMs!, toMs: toMs! },
        { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY },
      ]),
    ],
    filter: randomFilter(draw),
    computed: [],
    granularity: oneOf(draw, [
      { kind: 'all' },
      { kind: 'uniform', widthMs: oneOf(draw, [7_200_000, 3_600_000, 600_000]), originMs: 0 },
    ]),
    keys: [tag, plant].filter(() => draw(2) === 0),
    aggregates: aggregates.filter(() => draw(2) === 0),
    groupsMax: 1_000_000,
    unitsMax: 1e12,
    needsDays: false,
  }
}

test('hour rollups replace their rows only where both give the same result', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const draw = drawFrom(seed)
      const rows = randomRows(draw)
      const store = await storeOf(rows, draw)
      for (let question = 0; question < 12; question++) {
        const plan = randomPlan(draw)
        const found = await store.aggregate(plan, signal)
        expectGroups(plan, found!.rows, rows)
      }
    }),
    { numRuns: rounds(25) },
  )
})

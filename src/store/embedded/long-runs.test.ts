// The work of a run between two checks of the clock: nothing that grows with the rows, groups, ticks or tags of a query may be one step.
import { beforeAll, describe, expect, test } from 'vitest'
import { always, selection, tag, time, value } from '../../../test/support/selection.ts'
import { WatchedPacer } from '../../../test/support/watched-pacer.ts'
import type { EntityField } from '../../model/entity.ts'
import { granularityNames } from '../../model/granularity.ts'
import type { Plan, Selection } from '../../model/plan.ts'
import type { RowBatch } from '../../model/row-batch.ts'
import { EmbeddedStore } from './embedded-store.ts'

const site: EntityField = { name: 'S', type: 'string', role: 'dimension' }
const rare: EntityField = { name: 'R', type: 'double', role: 'metric' }
const limits = { resultRows: 1_000_000, buckets: 1_000_000, resultBytes: 2 ** 30 }
/** In the units of a pacer. The largest step is a block of a sort. */
const stepMax = 65_536
/** More than one step may process, and a multiple of three for items of three rows. */
const rows = 66_000

interface Shape {
  readonly ms: (row: number) => number
  readonly tag: (row: number) => string
  readonly replaces?: boolean
}

const scattered = (row: number): number => (row * 7919) % rows
const shapes = {
  'one tag': { ms: (row) => row * 1000, tag: () => 'one' },
  'rows of one date': { ms: () => 0, tag: () => 'one' },
  'late rows': { ms: (row) => scattered(row) * 1000, tag: () => 'one' },
  'late rows that replace': { ms: (row) => Math.floor(scattered(row) / 3) * 1000, tag: () => 'one', replaces: true },
  'one row again and again': { ms: () => 0, tag: () => 'one', replaces: true },
  'many tags': { ms: () => 0, tag: (row) => `tag${scattered(row)}` },
} satisfies Record<string, Shape>

function batchOf({ ms, tag: tagOf, replaces = false }: Shape): RowBatch {
  const places = Array.from({ length: rows }, (_, row) => row)
  const tags = [...new Set(places.map(tagOf))]
  const codes = new Map(tags.map((text, code) => [text, code]))
  return {
    entityId: 1,
    rows,
    positions: Float64Array.from(places),
    fields: [time, tag, site, value, rare],
    columns: [
      { type: 'timestamp', values: Float64Array.from(places, ms) },
      { type: 'string', codes: Int32Array.from(places, (row) => codes.get(tagOf(row))!), dictionary: tags },
      { type: 'string', codes: Int32Array.from(places, scattered), dictionary: places.map((place) => `site${place}`) },
      { type: 'double', values: Float64Array.from(places) },
      { type: 'double', values: Float64Array.from(places, (row) => (row === 0 ? 1 : Number.NaN)) },
    ],
    ...(replaces ? { pushedNulls: [null, null, null, null, null] } : {}),
  }
}

const ticksMs = Float64Array.from({ length: rows }, (_, tick) => tick * 1000)
const select = (over: Partial<Selection> = {}): Plan => ({ kind: 'select', selection: selection(over), range: always })
const average = (over: Partial<Selection>, granularity: 'all' | 'second'): Plan => {
  return {
    kind: 'average',
    selection: selection(over),
    range: always,
    granularity: granularityNames[granularity],
    byTag: true,
  }
}
const latest = (over: Partial<Selection> = {}): Plan => {
  return { kind: 'latest', selection: selection(over), fromMs: Number.NEGATIVE_INFINITY }
}
const isRare = { metrics: [rare] }

const plans: readonly (readonly [shape: keyof typeof shapes, name: string, plan: Plan, rows: number])[] = [
  ['one tag', 'all of them', select(), rows],
  ['one tag', 'an average of each', average({}, 'second'), rows],
  ['one tag', 'an average by a field', average({ fields: [site] }, 'all'), rows],
  ['one tag', 'a snap at each', { kind: 'snap', selection: selection(), ticksMs }, rows],
  ['one tag', 'a snap of its first item', { kind: 'snap', selection: selection(isRare), ticksMs }, rows],
  ['one tag', 'the newest of a rare metric', latest(isRare), 1],
  ['one tag', 'all of a rare metric', select(isRare), 1],
  ['one tag', 'the last but many', { kind: 'last', selection: selection(), dateMs: 1e12, offset: rows - 1 }, 1],
  ['one tag', 'the next of a rare metric', { kind: 'next', selection: selection(isRare), dateMs: 0, offset: 0 }, 0],
  ['rows of one date', 'by a field', select({ fields: [site] }), rows],
  ['rows of one date', 'an average by a field', average({ fields: [site] }, 'second'), rows],
  ['late rows', 'all of them', select(), rows],
  ['late rows', 'the newest', latest(), 1],
  ['late rows that replace', 'all of them', select(), rows / 3],
  ['one row again and again', 'the newest', latest(), 1],
  ['many tags', 'the newest of each', latest(), rows],
  ['many tags', 'ids', latest({ ids: Array.from({ length: rows }, (_, place) => `tag${place}`) }), rows],
  [
    'many tags',
    'prefixes',
    latest({ prefixes: Array.from({ length: 9000 }, (_, place) => `tag${1000 + place}`) }),
    rows - 1000,
  ],
  ['many tags', 'by a tag that is not there', latest({ tags: [{ ...tag, name: 'U' }] }), 1],
]

describe.each(Object.keys(shapes) as (keyof typeof shapes)[])(
  'a run over 66,000 rows has no long step: %s',
  (shape) => {
    const pacers: WatchedPacer[] = []
    const newStore = (): EmbeddedStore =>
      new EmbeddedStore({
        newPacer: (options) => {
          const pacer = new WatchedPacer(options)
          pacers.push(pacer)
          return pacer
        },
      })
    let batch: RowBatch
    beforeAll(() => {
      batch = batchOf(shapes[shape])
    })

    test.each(plans.filter(([of]) => of === shape))('%s: %s', async (_, __, plan, expected) => {
      const store = newStore()
      store.write(batch)
      let found = 0
      for await (const { rows } of store.run(plan, limits, new AbortController().signal)) found += rows
      const pacer = pacers.at(-1)!
      expect(found).toBe(expected)
      expect(pacer.stepMax).toBeLessThanOrEqual(stepMax)
    })
  },
)

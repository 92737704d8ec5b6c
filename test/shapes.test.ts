// Objects made for each request or push have one shape, so that V8 gives them one hidden class and finds their properties fast. On Node.js 20, V8 makes a
// new hidden class each time a property follows a spread that does not name it (`CONTRIBUTING.md`).
import { setFlagsFromString } from 'node:v8'
import { expect, test } from 'vitest'
import { openAnswer } from '../src/answer/answer-data.ts'
import { lineAt } from '../src/ingest/scan/lines/body-lines.ts'
import type { Selection } from '../src/model/plan.ts'
import { EntityRegistry } from '../src/store/embedded/registry/entity-registry.ts'
import { preparePlan } from '../src/store/embedded/run/plan-run.ts'
import { RunMemory } from '../src/store/embedded/run/run-memory.ts'
import { WatchedPacer } from './support/watched-pacer.ts'

setFlagsFromString('--allow-natives-syntax')
const haveOneShape = new Function('one', 'other', 'return %HaveSameMap(one, other)') as (
  one: object,
  other: object,
) => boolean

/** After this many objects, V8 makes all further ones alike. */
const warmUps = 50

async function shapesOf(make: () => object | Promise<object>): Promise<number> {
  for (let made = 0; made < warmUps; made++) await make()
  let shapes = 1
  let last = await make()
  for (let made = 0; made < warmUps; made++) {
    const next = await make()
    if (!haveOneShape(last, next)) shapes++
    last = next
  }
  return shapes
}

const line = Buffer.from('m,T=a V=1 1')

const registry = new EntityRegistry(1)
registry.series.addTag('T')
const selection: Selection = {
  entityId: 1,
  sinceMs: null,
  time: { name: 'D', type: 'timestamp', role: 'time' },
  tags: [{ name: 'T', type: 'string', role: 'tag' }],
  ids: ['a'],
  prefixes: null,
  metrics: [{ name: 'V', type: 'double', role: 'metric' }],
  fields: [],
}
const limits = { resultRows: 1, buckets: 1, resultBytes: 1 }
const pacer = new WatchedPacer({ sliceMs: 1, signal: new AbortController().signal })

test.each<[what: string, make: () => object | Promise<object>]>([
  ['a line', () => lineAt(line, 0, 'lines-ms')],
  ['a short response', () => openAnswer({ rows: 1, bytes: 2, body: { kind: 'short', bytes: '[]' } })],
  [
    'a prepared plan',
    () => preparePlan({ registry, tables: [], files: [], hours: [] }, selection, limits, pacer, new RunMemory()),
  ],
])('%s has one shape', async (_, make) => {
  expect(await shapesOf(make)).toBe(1)
})

test('an object with a property after a spread has many shapes on Node.js 20, and one on later versions', async () => {
  const parts = { kind: 'run', plan: 'x', limits: null }
  let id = 0
  const shapes = await shapesOf(() => ({ ...parts, id: id++ }))
  if (process.versions.node.startsWith('20.')) expect(shapes).toBeGreaterThan(1)
  else expect(shapes).toBe(1)
})

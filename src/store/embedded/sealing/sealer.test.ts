import { beforeEach, describe, expect, test } from 'vitest'
import { rowsOf } from '../../../../test/support/expect-rows.ts'
import { MemoryFolder } from '../../../../test/support/memory-files.ts'
import { columnOf } from '../../../../test/support/random-rows.ts'
import { always, selection, tag, time, value } from '../../../../test/support/selection.ts'
import { Pacer } from '../../../lib/pacer.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { Plan } from '../../../model/plan.ts'
import type { CrashPoint } from '../../../observe/crash-point.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import type { SealedFile, SealedFolder } from '../reading/sealed-source.ts'

import { mergeFiles } from './merge-files.ts'
import { sealRows } from './sealer.ts'

const note: EntityField = { name: 'N', type: 'string', role: 'metric' }
const dayMs = 86_400_000
const pacer = new Pacer({ sliceMs: 5, signal: new AbortController().signal })
const gone = (): void => {}

type Row = readonly [day: number, tag: string, value: number, note?: string]

let nowMs = 0
let position = 0
let store: EmbeddedStore
let folder: MemoryFolder
let steps: CrashPoint[]

beforeEach(() => {
  nowMs = 1000
  position = 0
  steps = []
  store = new EmbeddedStore({ nowMs: () => nowMs })
  folder = new MemoryFolder((entityId) => store.registry(entityId), { pageRows: 4, hasRollups: true, hasTails: true })
})

function push(rows: readonly Row[], entityId = 1): void {
  const columns = [
    columnOf(
      'timestamp',
      rows.map(([day]) => day * dayMs),
    ),
    columnOf(
      'string',
      rows.map((row) => row[1]),
    ),
    columnOf(
      'double',
      rows.map((row) => row[2]),
    ),
    columnOf(
      'string',
      rows.map((row) => row[3] ?? null),
    ),
  ]
  const positions = Float64Array.from(rows, () => position++)
  store.write({ entityId, rows: rows.length, positions, fields: [time, tag, value, note], columns })
}

function options(dayRowsMin: number, into: SealedFolder = folder) {
  return { folder: into, dayRowsMin, sinceMs: () => null, pacer, reach: (step: CrashPoint) => void steps.push(step) }
}

async function seal(dayRowsMin: number): Promise<readonly SealedFile[]> {
  const frozen = store.freeze(position)
  const add = await sealRows(frozen, options(dayRowsMin))
  store.switchFiles({ add, remove: [], frozen, gone })
  return add
}

const select = (entityId = 1): Plan => ({
  kind: 'select',
  selection: selection({ entityId, metrics: [value, note] }),
  range: always,
})

const named = (files: readonly SealedFile[]) =>
  files.map(({ info }) => `${info.entityId} ${info.kind} ${info.day} ${info.rows}`)

describe('sealing', () => {
  test('days with few rows share a file', async () => {
    push([
      [3, 'b', 1],
      [1, 'a', 2],
      [3, 'a', 3],
      [2.5, 'a', 4],
      [3.9, 'a', 5],
    ])
    expect(named(await seal(3))).toEqual(['1 day 3 3', '1 mixed null 2'])
    expect(await rowsOf(store, select())).toEqual([
      [1 * dayMs, 'a', 2, null],
      [2.5 * dayMs, 'a', 4, null],
      [3 * dayMs, 'a', 3, null],
      [3 * dayMs, 'b', 1, null],
      [3.9 * dayMs, 'a', 5, null],
    ])
  })

  test('all entities are sealed at one position, step by step', async () => {
    push([[1, 'a', 1]])
    push([[1, 'a', 1]], 2)
    expect(named(await seal(1))).toEqual(['1 day 1 1', '2 day 1 1'])
    expect(store.position).toBe(2)
    expect(steps).toEqual([
      'seal-frozen',
      'seal-file-written',
      'seal-file-written',
      'seal-file-renamed',
      'seal-file-renamed',
      'seal-directory-synced',
      'seal-directory-synced',
    ])
  })

  test('rows that arrive during a seal go to a fresh head', async () => {
    push([[1, 'a', 1]])
    expect(store.head).toMatchObject({ rows: 1, sinceMs: 1000 })
    const frozen = store.freeze(position)
    expect(store.head).toEqual({ rows: 0, bytes: 0, sinceMs: null })
    nowMs = 2000
    push([
      [1, 'a', 2],
      [0, 'a', 3],
    ])
    expect(store.head).toMatchObject({ rows: 2, sinceMs: 2000 })
    expect((await rowsOf(store, select())).map((row) => row[2])).toEqual([3, 1, 2])
    store.switchFiles({ add: await sealRows(frozen, options(1)), remove: [], frozen, gone })
    expect((await rowsOf(store, select())).map((row) => row[2])).toEqual([3, 1, 2])
    expect(await store.statistics(1, null, new AbortController().signal)).toEqual({
      rows: 3,
      firstMs: 0,
      lastMs: dayMs,
    })
  })

  test('freezing no rows advances the position', async () => {
    position = 7
    expect(await seal(1)).toEqual([])
    expect(store.position).toBe(7)
  })

  test('a failed seal is undone, and can be repeated', async () => {
    push([
      [1, 'a', 1],
      [2, 'a', 2],
    ])
    const frozen = store.freeze(position)
    const failing: SealedFolder = {
      create: (target, within) => folder.create(target, within),
      sync: () => Promise.reject(new Error('no space left')),
    }
    await expect(sealRows(frozen, options(1, failing))).rejects.toThrow('no space left')
    expect([...folder.published]).toEqual([])
    expect((await rowsOf(store, select())).map((row) => row[2])).toEqual([1, 2])
    store.switchFiles({ add: await sealRows(frozen, options(1)), remove: [], frozen, gone })
    expect((await rowsOf(store, select())).map((row) => row[2])).toEqual([1, 2])
  })
})

describe('merging', () => {
  test('combines the files of a day, also with strings of several dictionaries', async () => {
    push([
      [1, 'b', 1, 'x'],
      [1.25, 'b', 2, 'y'],
    ])
    await seal(1)
    push([
      [1, 'a', 3, 'z'],
      [1, 'b', 4, 'y'],
    ])
    await seal(1)
    const before = await rowsOf(store, select())
    const files = store.files(1)
    const added = await mergeFiles(files, { ...options(1000), sinceMs: null, registry: store.registry(1) })
    expect(named(added)).toEqual(['1 day 1 4'])
    const removed: SealedFile[] = []
    store.switchFiles({ add: added, remove: files, frozen: null, gone: (file) => removed.push(file) })
    expect(removed).toEqual(files)
    expect(await rowsOf(store, select())).toEqual(before)
    expect(before).toEqual([
      [dayMs, 'a', 3, 'z'],
      [dayMs, 'b', 1, 'x'],
      [dayMs, 'b', 4, 'y'],
      [1.25 * dayMs, 'b', 2, 'y'],
    ])
  })

  test('mixed files yield a day file for each day that now has enough rows', async () => {
    for (const tags of ['a', 'b']) {
      push([
        [1, tags, 1],
        [2, tags, 2],
        [3, 'c', tags === 'a' ? 1 : 2],
      ])
      push([[2.5, tags, 3]])
      await seal(100)
    }
    const added = await mergeFiles(store.files(1), { ...options(4), sinceMs: null, registry: store.registry(1) })
    expect(named(added)).toEqual(['1 day 2 4', '1 mixed null 4'])
  })
})

test('switching throws when an added file is already present or a removed one is not', async () => {
  push([[1, 'a', 1]])
  const [file] = await seal(1)
  expect(() => store.switchFiles({ add: [file], remove: [], frozen: null, gone })).toThrow('not those there are')
  store.switchFiles({ add: [], remove: [file], frozen: null, gone })
  expect(() => store.switchFiles({ add: [], remove: [file], frozen: null, gone })).toThrow('not those there are')
})

test('a run keeps a removed file until it ends', async () => {
  push([
    [1, 'a', 1],
    [2, 'a', 2],
  ])
  const files = await seal(1)
  const run = store.run(select(), { resultRows: 10, buckets: 10, resultBytes: 1000 }, new AbortController().signal)
  const first = await run.next()
  const removed: SealedFile[] = []
  store.switchFiles({ add: [], remove: files, frozen: null, gone: (file) => removed.push(file) })
  expect(removed).toEqual([])
  expect(first.value?.rows).toBe(2)
  await run.return(undefined)
  expect(removed).toEqual(files)
  expect(await rowsOf(store, select())).toEqual([])
})

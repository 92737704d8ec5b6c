import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeDisk } from '../../../lib/node-disk.ts'
import { Pacer } from '../../../lib/pacer.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import type { SealedFile, SealedPages, SeriesRollups } from '../reading/sealed-source.ts'
import { LocalFolder } from '../sealed/local-folder.ts'
import { sealRows } from '../sealing/sealer.ts'
import type { DeletionVector } from './deletion-vector.ts'
import { rewriteFiles } from './rewrite-files.ts'
import { VisibleFile } from './visible-file.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-seen-hours-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Rows of one tag in four hours, and a file of them with deleted rows. */
async function worldOf(name: string, rowsOfHour: number, vectors: readonly Omit<DeletionVector, 'deletionId'>[]) {
  const store = new EmbeddedStore({ chunkRows: 4 * rowsOfHour }, 0)
  const folder = new LocalFolder({
    ...{ disk: nodeDisk, directory: join(directory, name), registryOf: () => store.registry(1) },
    ...{ pageRows: 8192, pageCacheBytes: 2 ** 24, indexCacheBytes: 2 ** 24 },
    writing: { boundDatesRowsMin: 1, squaresRowsMin: 1 },
  })
  const rows = 4 * rowsOfHour
  const numbers = (of: (row: number) => number): Float64Array =>
    Float64Array.from({ length: rows }, (_, row) => of(row))
  store.write({
    entityId: 1,
    rows,
    positions: numbers((row) => row),
    fields: [
      { name: 'D', type: 'timestamp', role: 'time' },
      { name: 'T', type: 'string', role: 'tag' },
      { name: 'V', type: 'double', role: 'metric' },
    ],
    columns: [
      { type: 'timestamp', values: numbers((row) => Math.floor((row * hourMs) / rowsOfHour)) },
      { type: 'string', dictionary: ['a'], codes: new Int32Array(rows) },
      { type: 'double', values: numbers((row) => (row % 7 === 3 ? Number.NaN : ((row * 3) % 40) / 8)) },
    ],
  })
  const options = { folder, dayRowsMin: 1, pacer: new Pacer({ sliceMs: 5, signal: new AbortController().signal }) }
  const reach = (): void => undefined
  const [sealed] = await sealRows(store.freeze(rows), { ...options, sinceMs: () => null, reach })
  const registry = store.registry(1)
  const named = vectors.map((vector, place) => ({ ...vector, deletionId: place + 1 }))
  const visible = new VisibleFile(folder.stored(sealed!), named, registry)
  const erased = { ...options, registry, sinceMs: null, reach, isErased: () => true, remove: () => undefined }
  return { visible, column: registry.columns.column('V')!.index, rewrite: () => rewriteFiles([visible], erased) }
}

const deleted = (start: number, end: number): Omit<DeletionVector, 'deletionId'> => ({
  metrics: null,
  rows: new Map([[0, Uint32Array.of(start, end)]]),
})
const nulled = (start: number, end: number) => ({ ...deleted(start, end), metrics: ['V'] })

/** All rollups of the column, by hour. */
function saidOf({ hoursMs, length, ...rollups }: SeriesRollups, column: number): ReadonlyMap<number, object> {
  const sums = rollups.column(column)!
  const kinds = { sums: { ...sums, errors: sums.errors ?? new Float64Array(length) } }
  const others = (['bounds', 'items', 'boundDates', 'falls', 'squares'] as const).map((kind) => [
    kind,
    rollups[kind](column),
  ])
  const all = { ...kinds, ...(Object.fromEntries(others) as Record<string, Record<string, Float64Array> | null>) }
  const at = (hour: number) =>
    Object.entries(all).flatMap(([kind, arrays]) =>
      Object.entries(arrays ?? {}).map(([name, values]) => [`${kind}.${name}`, values[hour]] as const),
    )
  return new Map(Array.from({ length }, (_, hour) => [hoursMs[hour]! / hourMs, Object.fromEntries(at(hour))]))
}

const hours = (pages: SealedPages): SeriesRollups => pages.visibleHours(0, 0, 4 * hourMs)!

test('hours of a file with deleted rows and values equal those of a file without them', async () => {
  const vectors = [deleted(3, 6), deleted(17, 18), nulled(25, 31), deleted(80, 120)]
  const { visible, column, rewrite } = await worldOf('same', 40, vectors)
  const seen = hours(visible.open([column], 'cached'))
  const { files } = await rewrite()
  const anew = saidOf(hours((files[0] as SealedFile).open([column], 'cached')), column)
  const said = saidOf(seen, column)
  expect([...seen.hidden!]).toEqual([0, 0, 0, 0])
  expect([...anew.keys()]).toEqual([0, 1, 3])
  for (const [hour, numbers] of anew) {
    expect(Object.keys(numbers).length).toBe(18)
    for (const [name, number] of Object.entries(numbers))
      expect(said.get(hour), name).toHaveProperty([name], expect.closeTo(number as number, 9))
  }
  expect(said.get(2)).toMatchObject({ 'sums.counts': 0 })
})

test('each query recomputes some of the hours, so that none waits for all', async () => {
  const vectors = [deleted(5, 6), deleted(12_005, 12_006), deleted(24_005, 24_006)]
  const { visible, column } = await worldOf('some', 12_000, vectors)
  const left = (): number[] => [...hours(visible.open([column], 'cached')).hidden!]
  expect([left(), left(), left()]).toEqual([
    [0, 1, 1, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 0],
  ])
})

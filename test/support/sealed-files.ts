// Sealed files written from plain rows, and read back as plain rows.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll } from 'vitest'
import { compareCodePoints } from '../../src/lib/compare-code-points.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { Pacer } from '../../src/lib/pacer.ts'
import type { ColumnType, Value } from '../../src/model/column.ts'
import {
  type Chunk,
  type ChunkColumn,
  exactOf,
  isNullIn,
  newChunk,
  newColumn,
  type RowSlice,
} from '../../src/store/embedded/head/chunk.ts'
import type { SealedPages, SealedTarget } from '../../src/store/embedded/reading/sealed-source.ts'
import { EntityRegistry } from '../../src/store/embedded/registry/entity-registry.ts'
import type { LocalFile } from '../../src/store/embedded/sealed/local-file.ts'
import type { WriterOptions } from '../../src/store/embedded/sealed/local-file-writer.ts'
import { LocalFolder, type LocalFolderOptions } from '../../src/store/embedded/sealed/local-folder.ts'
import { writeFile } from '../../src/store/embedded/sealing/write-sealed-files.ts'
import { UsedMemory } from './used-memory.ts'

export const hourMs = 3_600_000
export const mixed: SealedTarget = { entityId: 7, kind: 'mixed', day: null }

export interface Row {
  readonly ms: number
  readonly position: number
  /** One value for each column. */
  readonly values: readonly Value[]
}

export interface Series {
  readonly tags: readonly (string | null)[]
  /** Ordered by time and position. */
  readonly rows: readonly Row[]
}

export interface Entity {
  readonly tags: readonly string[]
  readonly columns: readonly (readonly [name: string, type: ColumnType])[]
  readonly series: readonly Series[]
}

/** A temporary folder for the tests of one file. */
export function temporaryFolder(): { readonly path: string } {
  const folder = { path: '' }
  beforeAll(() => {
    folder.path = mkdtempSync(join(tmpdir(), 'tidemark-sealed-'))
  })
  afterAll(() => rmSync(folder.path, { recursive: true, force: true }))
  return folder
}

export const newPacer = (): Pacer => new Pacer({ sliceMs: 5, signal: new AbortController().signal })

function put(column: ChunkColumn, row: number, value: Value, codeOf: (text: string) => number): void {
  if (value === null) return
  if (column.type === 'string') column.codes[row] = codeOf(String(value))
  else column.values[row] = Number(value)
  if (typeof value === 'bigint' && column.type === 'long') exactOf(column)[row] = value
}

/** Rows in the form of a source: with other rows around them and a separate dictionary. */
function sliceOf(rows: readonly Row[], columns: Entity['columns']): RowSlice {
  const padding = 2
  const chunk = newChunk(rows.length + 2 * padding)
  for (const [offset, { ms, position }] of rows.entries()) {
    chunk.times[padding + offset] = ms
    chunk.positions[padding + offset] = position
  }
  for (const [index, [, type]] of columns.entries()) {
    if (rows.every(({ values }) => values[index] === null)) continue
    const dictionary = ['not used']
    const column = newColumn(type, chunk.times.length, dictionary)
    const codeOf = (text: string) => (dictionary.includes(text) ? dictionary.indexOf(text) : dictionary.push(text) - 1)
    for (const [offset, { values }] of rows.entries()) put(column, padding + offset, values[index], codeOf)
    chunk.columns[index] = column
  }
  return { chunk, start: padding, end: padding + rows.length }
}

function compareTags(left: Series, right: Series): number {
  for (const [index, tag] of left.tags.entries()) {
    const other = right.tags[index]
    if (tag === other) continue
    if (tag === null) return -1
    if (other === null) return 1
    return compareCodePoints(tag, other)
  }
  return 0
}

export interface Written {
  readonly file: LocalFile
  readonly folder: LocalFolder
  readonly registry: EntityRegistry
  /** The series in the order of the file. */
  readonly series: readonly (Series & { readonly number: number })[]
}

export interface WriteOptions {
  readonly writing?: Partial<WriterOptions>
  readonly folder?: Partial<LocalFolderOptions>
  readonly sliceRows?: number
}

/** Sizes small enough that a few rows make several pages and row groups, with every part of the index. */
const smallPages = {
  pageRows: 16,
  sharedPageRows: 8,
  groupRows: 64,
  hourRowsMin: 1,
  boundDatesRowsMin: 1,
  squaresRowsMin: 1,
  tailRowsMin: 1,
}

export async function writeEntity(directory: string, entity: Entity, options: WriteOptions = {}): Promise<Written> {
  const registry = new EntityRegistry(mixed.entityId)
  for (const tag of entity.tags) registry.series.addTag(tag)
  for (const [name, type] of entity.columns) registry.columns.learn(name, type)
  const numbers = new Map<Series, number>()
  for (const [number, series] of entity.series.entries()) {
    registry.series.restore(series.tags)
    numbers.set(series, number)
  }
  const stored = new LocalFolder({
    disk: nodeDisk,
    directory,
    registryOf: () => registry,
    pageRows: 16,
    pageCacheBytes: 1 << 20,
    indexCacheBytes: 1 << 20,
    spares: new UsedMemory(),
    writing: { ...smallPages, ...options.writing },
    ...options.folder,
  })
  const inOrder = entity.series.toSorted(compareTags)
  const writer = await writeFile(stored, mixed, newPacer(), async (writer) => {
    for (const series of inOrder) {
      const { rows } = series
      const slices: RowSlice[] = []
      const length = options.sliceRows ?? 10
      for (let start = 0; start < rows.length; start += length)
        slices.push(sliceOf(rows.slice(start, start + length), entity.columns))
      await writer.addSeries(numbers.get(series) ?? -1, slices)
    }
  })
  const file = await writer.publish()
  await stored.sync(mixed.entityId)
  return {
    file: stored.open(file.info),
    folder: stored,
    registry,
    series: inOrder.map((series) => ({ ...series, number: numbers.get(series) ?? -1 })),
  }
}

function valueIn(column: ChunkColumn | undefined, row: number): Value {
  if (column === undefined || isNullIn(column, row)) return null
  if (column.type === 'string') return column.dictionary[column.codes[row]]
  if (column.type === 'boolean') return column.values[row] === 1
  if (column.exact === null || Math.abs(column.values[row]) < 2 ** 53) return column.values[row]
  return column.exact[row]
}

export function rowsOf({ chunk, start, end }: RowSlice, columns: number): Row[] {
  return Array.from({ length: end - start }, (_, offset) => rowAt(chunk, start + offset, columns))
}

function rowAt(chunk: Chunk, row: number, columns: number): Row {
  const values = Array.from({ length: columns }, (_, index) => valueIn(chunk.columns[index], row))
  return { ms: chunk.times[row], position: chunk.positions[row], values }
}

export function everything(reader: SealedPages, columns: number): Row[][] {
  return Array.from({ length: reader.length }, (_, place) =>
    [...reader.forward(place, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)].flatMap((slice) =>
      rowsOf(slice, columns),
    ),
  )
}

export const allTypes: Entity['columns'] = [
  ['V', 'double'],
  ['count', 'long'],
  ['state', 'string'],
  ['on', 'boolean'],
  ['checked', 'timestamp'],
]

const anyValues: Readonly<Record<ColumnType, fc.Arbitrary<Value>>> = {
  double: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, -0, 1.5, 1e308, -1e308)),
  long: fc.oneof(
    fc.integer(),
    fc.constantFrom(2 ** 53 - 1, -(2 ** 53) + 1),
    fc.bigInt({ min: 2n ** 53n + 1n, max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) - 1n }),
  ),
  string: fc.oneof(fc.constantFrom('', 'on', 'off'), fc.string({ unit: 'grapheme' })),
  boolean: fc.boolean(),
  timestamp: fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
}

/** Doubles with up to `digits` decimals; of any kind where `digits` is null. */
const anyDouble = (digits: number | null): fc.Arbitrary<Value> =>
  digits === null
    ? anyValues.double
    : fc.tuple(fc.integer(), fc.nat(digits)).map(([whole, behind]) => whole / 10 ** behind)
const anyRow = (digits: number | null) =>
  fc.record({
    gapMs: fc.oneof(fc.constantFrom(0, 1000, hourMs), fc.nat(3 * hourMs)),
    values: fc.tuple(
      ...allTypes.map(([, type]) =>
        fc.option(type === 'double' ? anyDouble(digits) : anyValues[type], { nil: null, freq: 3 }),
      ),
    ),
  })
const anyTag = fc.option(fc.constantFrom('', 'a', 'b', '\uffff', '😀'), { nil: null })
export const anyEntity = fc
  .array(
    // Each series has its own number of decimals.
    fc.constantFrom(0, 0, 2, 2, 3, 6, null).chain((digits) =>
      fc.record({
        tags: fc.tuple(anyTag, anyTag),
        rows: fc.array(anyRow(digits), { minLength: 1, maxLength: 60 }),
      }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((series): Entity => {
    const distinct = new Map(series.map((one) => [JSON.stringify(one.tags), one]))
    let position = 0
    return {
      tags: ['T', 'place'],
      columns: allTypes,
      series: [...distinct.values()].map(({ tags, rows }) => {
        let ms = 1_700_000_000_000
        return {
          tags,
          rows: rows.map(({ gapMs, values }) => {
            ms += gapMs
            position += 3
            return { ms, position, values }
          }),
        }
      }),
    }
  })

export const anyWriting = fc.record({
  pageRows: fc.constantFrom(4, 16, 1000),
  sharedPageRows: fc.constantFrom(2, 4),
  groupRows: fc.constantFrom(1, 50, 100_000),
  hourRowsMin: fc.constantFrom(0, 2),
  boundDatesRowsMin: fc.constantFrom(0, 10),
  squaresRowsMin: fc.constantFrom(0, 10),
  tailRowsMin: fc.constantFrom(0, 10),
  pageCharacters: fc.constantFrom(1, 20, 1000),
  groupBytes: fc.constantFrom(100, 10_000),
})

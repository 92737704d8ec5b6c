import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rounds } from '../../../../test/support/rounds.ts'
import { allTypes, type Entity, rowsOf, temporaryFolder, writeEntity } from '../../../../test/support/sealed-files.ts'
import { Pacer } from '../../../lib/pacer.ts'
import { type BlockingFile, openBlocking } from './blocking-file.ts'

const folder = temporaryFolder()
const seriesRows = 100
const plant: Entity = {
  tags: ['T'],
  columns: allTypes,
  series: Array.from({ length: 12 }, (_, series) => ({
    tags: [`tag ${String(series).padStart(2, '0')}`],
    rows: Array.from({ length: seriesRows }, (_, row) => ({
      ms: row * 1000,
      position: row * 12 + series,
      values: [row / 3, row, `text ${row} of ${series}`, null, row],
    })),
  })),
}
const ever = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const

/** Counts the reads, and the files that are open. */
function countingReads(): { reads: number; opened: number; open: (path: string) => BlockingFile } {
  const counts = {
    reads: 0,
    opened: 0,
    open: (path: string): BlockingFile => {
      const file = openBlocking(path)
      counts.opened++
      return {
        size: () => file.size(),
        close: () => {
          counts.opened--
          file.close()
        },
        read: (buffer, bytes, offset) => {
          counts.reads++
          return file.read(buffer, bytes, offset)
        },
      }
    },
  }
  return counts
}

test('cached data is not read again, and columns are read only when needed', async () => {
  const counts = countingReads()
  const { file } = await writeEntity(folder.path, plant, { folder: { openBlocking: counts.open } })
  const reading = (work: () => void): number => {
    const before = counts.reads
    work()
    return counts.reads - before
  }
  const newest = (columns: readonly number[]) => () => {
    for (const { chunk } of file.open(columns, 'cached').backward(3, ...ever)) {
      expect(chunk.columns[0] !== undefined).toBe(columns.includes(0))
      break
    }
  }
  // The index is read in one piece.
  expect(reading(() => file.open([], 'cached').find(3))).toBe(1)
  expect(reading(newest([]))).toBe(0)
  // A column of nulls needs no reads.
  expect(reading(newest([3]))).toBe(0)
  const values = reading(newest([0]))
  expect(values).toBeGreaterThan(0)
  expect(values).toBeLessThanOrEqual(2)
  expect(reading(newest([0]))).toBe(0)
  const [slice] = file.open([0], 'cached').backward(3, ...ever)
  expect(reading(() => expect(slice.chunk.times.length).toBeGreaterThan(0))).toBe(1)
  expect(reading(() => expect(slice.chunk.times[slice.end - 1]).toBe(file.open([], 'cached').lastMs(3)))).toBe(0)
  expect(reading(() => expect(slice.chunk.positions.length).toBeGreaterThan(0))).toBe(1)
  expect(reading(() => expect(slice.chunk.positions[slice.end - 1]).toBe(99 * 12 + 3))).toBe(0)
  // Rollups and tails are sections of the index.
  const hours = () => file.open([0], 'cached').hours(3, 0, 3_600_000)?.column(0)
  expect(reading(hours)).toBe(2)
  expect(reading(hours)).toBe(0)
  const tail = () => file.open([0], 'cached').tail(3)
  expect(reading(tail)).toBe(2)
  expect(reading(tail)).toBe(0)
})

test('the cache counts the memory of decoded sections', async () => {
  const { file, folder: stored } = await writeEntity(folder.path, plant)
  const rollups = file.open([0], 'cached').hours(3, 0, 2 ** 42)!
  rollups.column(0)
  const before = stored.indexCacheBytes
  const arrays: readonly Float64Array[] = Object.values(rollups.items(0)!)
  const bytes = arrays.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
  expect(bytes).toBeGreaterThan(0)
  expect(stored.indexCacheBytes - before).toBeGreaterThanOrEqual(bytes)
})

test('a pass "once" over a file leaves nothing in the cache', async () => {
  const { file, folder: stored } = await writeEntity(folder.path, plant)
  const reader = file.open([], 'once')
  for (let place = 0; place < reader.length; place++) {
    const rows = [...reader.forward(place, ...ever)].flatMap((slice) => rowsOf(slice, allTypes.length))
    // A copy must be complete, so all columns are read.
    expect(rows).toEqual(plant.series[place].rows)
  }
  expect(stored.pageCacheBytes).toBe(0)
})

test('caches stay within their bounds, whatever is read', async () => {
  const anyRead = fc.record({
    file: fc.nat(2),
    place: fc.nat(11),
    columns: fc.subarray([...allTypes.keys()]),
    kind: fc.constantFrom('forward', 'backward', 'positions', 'hours', 'tail'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.nat(20_000),
      fc.nat(20_000),
      fc.array(anyRead, { maxLength: 40 }),
      async (pageCacheBytes, indexCacheBytes, reads) => {
        const counts = countingReads()
        const options = { folder: { openBlocking: counts.open, pageCacheBytes, indexCacheBytes, openFilesMax: 2 } }
        const { folder: stored, file } = await writeEntity(folder.path, plant, options)
        const files = [file, stored.open(file.info), stored.open(file.info)]
        for (const { file, place, columns, kind } of reads) {
          const reader = files[file].open(columns, 'cached')
          const expected = plant.series[place].rows.map((row) => ({
            ...row,
            values: row.values.map((value, column) => (columns.includes(column) ? value : null)),
          }))
          if (kind === 'hours') reader.hours(place, 0, 3_600_000)?.column(0)
          else if (kind === 'tail') expect(reader.tail(place)?.chunk.times[place]).toBe(expected[99].ms)
          else if (kind === 'backward') for (const _ of reader.backward(place, ...ever)) break
          else
            for (const { chunk, start, end } of reader.forward(place, ...ever)) {
              if (kind === 'positions') expect(chunk.positions[start]).toBeLessThan(chunk.positions[end - 1])
            }
          expect(stored.pageCacheBytes).toBeLessThanOrEqual(pageCacheBytes)
          expect(stored.indexCacheBytes).toBeLessThanOrEqual(indexCacheBytes)
          expect(counts.opened).toBeLessThanOrEqual(2)
        }
        for (const one of files) one.close()
        expect([stored.pageCacheBytes, stored.indexCacheBytes, counts.opened]).toEqual([0, 0, 0])
      },
    ),
    { numRuns: rounds(40) },
  )
})

test('nothing of a removed file stays cached, whatever was read of it', async () => {
  const { file, folder: stored } = await writeEntity(folder.path, plant)
  for (const pass of ['cached', 'once'] as const) {
    const reader = file.open([...allTypes.keys()], pass)
    for (let place = 0; place < reader.length; place++) {
      for (const slice of reader.forward(place, ...ever)) rowsOf(slice, allTypes.length)
      expect([reader.hours(place, 0, 2 ** 42)?.column(0), reader.tail(place)]).toBeDefined()
    }
    expect(reader.pooledHours(0, 2 ** 42)?.column(0)).toBeDefined()
  }
  expect(Math.min(stored.pageCacheBytes, stored.indexCacheBytes)).toBeGreaterThan(0)
  await stored.remove(file)
  expect([stored.pageCacheBytes, stored.indexCacheBytes]).toEqual([0, 0])
})

test.each<[string, readonly number[]]>([
  ['dates only', []],
  ['a column without a dictionary', [0]],
])('a pass "once" over a file reads %s of a page once, however many series it has', async (_, columns) => {
  const counts = countingReads()
  const series = Array.from({ length: 500 }, (_, number) => ({
    tags: [`tag ${String(number).padStart(3, '0')}`],
    rows: [{ ms: number, position: number, values: [number / 7] }],
  }))
  const many: Entity = { tags: ['T'], columns: [['V', 'double']], series }
  const { file } = await writeEntity(folder.path, many, { folder: { openBlocking: counts.open } })
  const reader = file.open(columns, 'once')
  const pacer = new Pacer({ sliceMs: 1000, signal: new AbortController().signal })
  let rows = 0
  for (let place = 0; place < reader.length; place++) {
    await reader.prepare(place, pacer)
    for (const { start, end } of reader.forward(place, ...ever)) rows += end - start
  }
  expect(rows).toBe(500)
  expect(counts.reads).toBeLessThan(many.series.length / 2)
})

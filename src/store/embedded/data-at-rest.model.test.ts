import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AtRestParts, checkHistory } from '../../../test/support/data-at-rest.ts'
import { smallLocalFolder } from '../../../test/support/local-folder.ts'
import { randomMemoryFolder } from '../../../test/support/memory-files.ts'
import type { Draw } from '../../../test/support/random-rows.ts'
import { rounds } from '../../../test/support/rounds.ts'
import type { EmbeddedStore } from './embedded-store.ts'
import type { RowSlice } from './head/chunk.ts'
import type { SealedFile, SealedFileWriter, SealedFolder, SealedPages } from './reading/sealed-source.ts'
import type { LocalFolder } from './sealed/local-folder.ts'

const hourMs = 3_600_000

test('sealed, merged and fresh rows together give the results of the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), (seed) => checkHistory(seed, { folder: randomMemoryFolder })),
    { numRuns: rounds(250) },
  )
})

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-at-rest-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const storedFolder = (store: EmbeddedStore, draw: Draw): LocalFolder => smallLocalFolder(directory, store, draw)

test('files on disk give the results of the model too', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), (seed) => checkHistory(seed, { folder: storedFolder })),
    { numRuns: rounds(60) },
  )
})

/** A fault of a file's reader. */
type Spoil = (reader: SealedPages) => Partial<SealedPages>

/** Rollups of a series that also include the partial hours at the ends of a range. */
const raggedSeries: Spoil = (reader) => ({
  hours: (place, fromMs, toMs) => reader.hours(place, fromMs - hourMs, toMs + hourMs),
  visibleHours: (place, fromMs, toMs) => reader.visibleHours(place, fromMs - hourMs, toMs + hourMs),
  pooledHours: () => null,
})

/** The same for the rollups of all series together. */
const raggedPool: Spoil = (reader) => ({
  pooledHours: (fromMs, toMs) => reader.pooledHours(fromMs - hourMs, toMs + hourMs),
})

/** Rollups of all series together that do not list the series left out. */
const wholePool: Spoil = (reader) => ({
  pooledHours: (fromMs, toMs) => {
    const pooled = reader.pooledHours(fromMs, toMs)
    return pooled === null ? null : { ...pooled, leftOut: new Uint32Array(0) }
  },
})

/** Series that report their newest row as common to all their rows. */
const likeTheNewest: Spoil = (reader) => ({ commonRow: (place) => reader.tail(place) })

function spoiledFolder(spoil: Spoil): AtRestParts['folder'] {
  return (store, draw) => {
    const folder = randomMemoryFolder(store, draw)
    return {
      create: async (target, pacer) => spoiledWriter(await folder.create(target, pacer), spoil),
      sync: (entityId) => folder.sync(entityId),
    }
  }
}

function spoiledWriter(writer: SealedFileWriter, spoil: Spoil): SealedFileWriter {
  return {
    ...bound(writer),
    publish: async () => spoiledFile(await writer.publish(), spoil),
  }
}

function spoiledFile(file: SealedFile, spoil: Spoil): SealedFile {
  return {
    info: file.info,
    digits: file.digits,
    open: (columns, pass) => {
      const reader = file.open(columns, pass)
      return { ...plain(reader), ...spoil(reader) }
    },
  }
}

function plain(reader: SealedPages): SealedPages {
  return {
    length: reader.length,
    seriesAt: (place) => reader.seriesAt(place),
    find: (series) => reader.find(series),
    firstMs: (place) => reader.firstMs(place),
    lastMs: (place) => reader.lastMs(place),
    rows: (place) => reader.rows(place),
    storedRows: (place) => reader.storedRows(place),
    forward: (place, fromMs, toMs) => reader.forward(place, fromMs, toMs),
    backward: (place, fromMs, toMs) => reader.backward(place, fromMs, toMs),
    rowsAt: (place, start, end) => reader.rowsAt(place, start, end),
    prepare: (place, pacer) => reader.prepare(place, pacer),
    hours: (place, fromMs, toMs) => reader.hours(place, fromMs, toMs),
    visibleHours: (place, fromMs, toMs) => reader.visibleHours(place, fromMs, toMs),
    pooledHours: (fromMs, toMs) => reader.pooledHours(fromMs, toMs),
    tail: (place) => reader.tail(place),
    commonRow: (place, columns) => reader.commonRow(place, columns),
  }
}

/** Files that forget the row in which each value was pushed. */
function forgetfulFolder(store: EmbeddedStore, draw: Draw): SealedFolder {
  const folder = randomMemoryFolder(store, draw)
  return {
    create: async (target, pacer) => {
      const writer = await folder.create(target, pacer)
      const origins = new Set(store.registry(1).columns.replaced?.map(({ originIndex }) => originIndex))
      return {
        ...bound(writer),
        addSeries: (series, slices) => writer.addSeries(series, without(slices, origins)),
      }
    },
    sync: (entityId) => folder.sync(entityId),
  }
}

function bound(writer: SealedFileWriter): SealedFileWriter {
  return {
    addSeries: (series, slices) => writer.addSeries(series, slices),
    finish: () => writer.finish(),
    publish: () => writer.publish(),
    abandon: () => writer.abandon(),
  }
}

function* without(slices: Iterable<RowSlice>, columns: ReadonlySet<number>): Generator<RowSlice> {
  for (const { chunk, start, end } of slices) {
    const left = chunk.columns.map((column, index) => (columns.has(index) ? undefined : column))
    yield { chunk: { times: chunk.times, positions: chunk.positions, columns: left }, start, end }
  }
}

describe('the same check detects', () => {
  test.each<[string, AtRestParts, seed: number]>([
    ['a switch that does not remove the frozen rows', { folder: randomMemoryFolder, switch: leavesFrozen }, 2],
    ['a switch that does not remove the merged files', { folder: randomMemoryFolder, switch: leavesMerged }, 2],
    ['rollups that include the partial hours at the ends of a range', { folder: spoiledFolder(raggedSeries) }, 23],
    [
      'rollups of all series that include the partial hours at the ends of a range',
      { folder: spoiledFolder(raggedPool) },
      46,
    ],
    ['rollups of all series that do not list the series left out', { folder: spoiledFolder(wholePool) }, 37],
    ['series whose newest row is reported as common to all their rows', { folder: spoiledFolder(likeTheNewest) }, 4],
    ['files that forget the row in which each value was pushed', { folder: forgetfulFolder }, 46],
    ['a restart that forgets that rows are replaced', { folder: randomMemoryFolder, keepsAfterRestart: true }, 46],
  ])('%s', async (_, parts, seed) => {
    const found = await fc.check(
      fc.asyncProperty(fc.nat(), (seed) => checkHistory(seed, parts)),
      // With these seeds the first history exposed the fault when this was written; the other runs are for later changes.
      { numRuns: 400, endOnFailure: true, seed },
    )
    expect(found.errorInstance).toMatchObject({ name: 'AssertionError' })
  })
})

const leavesFrozen: AtRestParts['switch'] = (store, change) => store.switchFiles({ ...change, frozen: null })
const leavesMerged: AtRestParts['switch'] = (store, change) => store.switchFiles({ ...change, remove: [] })

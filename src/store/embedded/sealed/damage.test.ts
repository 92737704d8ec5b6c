import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { drawFrom } from '../../../../test/support/random-rows.ts'
import {
  allTypes,
  type Entity,
  everything,
  hourMs,
  newPacer,
  temporaryFolder,
  type Written,
  writeEntity,
} from '../../../../test/support/sealed-files.ts'
import { nodeDisk } from '../../../lib/node-disk.ts'
import type { PooledRollups, SealedFileInfo } from '../reading/sealed-source.ts'
import { EntityRegistry } from '../registry/entity-registry.ts'
import { openBlocking } from './blocking-file.ts'
import { checkBytes } from './check-bytes.ts'
import { DamagedFileError } from './damaged-file.ts'
import { FileIndex } from './file-index.ts'
import { LocalFolder } from './local-folder.ts'
import { verifyFile } from './verify-file.ts'

const folder = temporaryFolder()

/** Two tags, one of them sometimes null. Every column has a null, and there are strings, longs and booleans of each kind. */
const plant: Entity = {
  tags: ['T', 'place'],
  columns: allTypes,
  series: [
    ['a', 'north', 60],
    ['a', null, 3],
    ['b', 'north', 1],
    [null, 'south', 25],
    ['µ😀', 'x', 40],
  ].map(([tag, place, rows], series) => ({
    tags: [tag === null ? null : String(tag), place === null ? null : String(place)],
    rows: Array.from({ length: Number(rows) }, (_, row) => ({
      ms: 1_700_000_000_000 + row * 600_000,
      position: row * 5 + series,
      values: [
        row % 7 === 3 ? null : (row % 25) / 8 + series,
        row % 5 === 1 ? null : row % 11 === 0 ? 9_007_199_254_740_993n + BigInt(row) : row * 3,
        row % 4 === 0 ? null : `state ${row % 3}`,
        row % 6 === 0 ? null : row % 2 === 0,
        row % 9 === 0 ? null : 1_600_000_000_000 + row,
      ],
    })),
  })),
}
const columns = [...allTypes.keys()]

function paths({ file }: Written): { readonly parquet: string; readonly index: string } {
  const path = `${folder.path}/${file.info.entityId}/${file.info.name}`
  return { parquet: `${path}.parquet`, index: `${path}.index` }
}

/** Everything that a newly opened file can return. */
interface AllRead {
  readonly rows: unknown
  readonly numbers: unknown
  readonly tails: unknown
  /** The rollups of each series, and of all together. */
  readonly sums: unknown
  readonly pooled: unknown
}

function readAll({ folder, file }: Written): AllRead {
  const reader = folder.open(file.info).open(columns, 'cached')
  return {
    rows: everything(reader, columns.length),
    numbers: Array.from({ length: reader.length }, (_, place) => reader.find(reader.seriesAt(place))),
    tails: Array.from({ length: reader.length }, (_, place) => {
      const tail = reader.tail(place)
      return tail === null ? null : columns.map((column) => tail.chunk.columns[column]?.type)
    }),
    sums: Array.from({ length: reader.length }, (_, place) => {
      const hours = reader.hours(place, 0, 2 ** 42 * hourMs)
      const of = (column: number) => [
        hours?.column(column),
        hours?.items(column),
        hours?.boundDates(column),
        hours?.falls(column),
        hours?.squares(column),
      ]
      return [hours?.length, of(0), of(1)]
    }),
    pooled: pooledOf(reader.pooledHours(0, 2 ** 42 * hourMs)),
  }
}

function pooledOf(pooled: PooledRollups | null): unknown {
  return [pooled?.hoursMs, pooled?.leftOut, pooled?.column(0), pooled?.column(1)]
}

/** The data of a file, or the error that reading it throws. */
function outcome(written: Written): AllRead | Error {
  try {
    return readAll(written)
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}

function faultsOf(written: Written, change: Partial<SealedFileInfo> = {}): Promise<readonly string[]> {
  const { file, registry } = written
  return verifyFile({ info: { ...file.info, ...change }, paths: paths(written), registry, openBlocking }, newPacer())
}

describe('an undamaged file', () => {
  test('has no faults', async () => {
    expect(await faultsOf(await writeEntity(folder.path, plant))).toEqual([])
  })

  test.each([
    ['without rollups and tails', { hourRowsMin: 1000, tailRowsMin: 1000 }],
    ['of one page and row group', { pageRows: 1000, sharedPageRows: 1000, groupRows: 10_000 }],
    ['with rollups of the first series only', { rollupBytesMax: 200 }],
  ])('%s has no faults', async (_, writing) => {
    expect(await faultsOf(await writeEntity(folder.path, plant, { writing }))).toEqual([])
  })
})

describe.each(['parquet', 'index'] as const)('a changed bit of the %s file', (kind) => {
  test('throws an error that names the file or changes no result, and is reported by verify', async () => {
    const written = await writeEntity(folder.path, plant)
    const path = paths(written)[kind]
    const sound = readAll(written)
    const bytes = readFileSync(path)
    // Bytes at regular distances, and every byte that matters in the header and at the end.
    const stride = Math.ceil(bytes.length / 120)
    for (let at = 0; at < bytes.length; at += at < 40 || at > bytes.length - 20 ? 1 : stride) {
      const changed = Buffer.from(bytes)
      changed[at] ^= 1 << (at % 8)
      writeFileSync(path, changed)
      const seen = outcome(written)
      if (seen instanceof Error) {
        expect(seen).toBeInstanceOf(DamagedFileError)
        expect(seen.message).toMatch(path)
      } else {
        expect(seen).toEqual(sound)
      }
      expect(await faultsOf(written), `byte ${at}`).not.toEqual([])
    }
  })

  test.each([0, 3, 8, 95, 200, -1])('is detected, and so is a file cut at %i', async (at) => {
    const written = await writeEntity(folder.path, plant)
    const path = paths(written)[kind]
    writeFileSync(
      path,
      readFileSync(path)
        .subarray(0, at < 0 ? undefined : at)
        .subarray(0, at < 0 ? at : undefined),
    )
    const seen = outcome(written)
    if (at >= 0 || kind === 'index') expect(seen).toBeInstanceOf(DamagedFileError)
    expect(await faultsOf(written)).not.toEqual([])
  })
})

describe('checkBytes()', () => {
  const checked = (written: Written): Promise<void> => checkBytes(paths(written), nodeDisk, openBlocking)

  test('accepts a file as written, and detects each changed bit', async () => {
    const written = await writeEntity(folder.path, plant)
    await checked(written)
    const path = paths(written).parquet
    const bytes = readFileSync(path)
    const stride = Math.ceil(bytes.length / 200)
    for (let at = 0; at < bytes.length; at += at < 40 || at > bytes.length - 20 ? 1 : stride) {
      const changed = Buffer.from(bytes)
      changed[at] ^= 1 << (at % 8)
      writeFileSync(path, changed)
      await expect(checked(written), `byte ${at}`).rejects.toBeInstanceOf(DamagedFileError)
    }
  })

  test('covers all columns, row groups and dictionaries of a file larger than one read', async () => {
    const tags = ['a']
    const text = 'x'.repeat(2000)
    const rows = Array.from({ length: 3000 }, (_, row) => ({
      ms: row,
      position: row,
      values: [row / 7, row, `${row} ${text}${row * 31}`, row % 2 === 0, row],
    }))
    const written = await writeEntity(
      folder.path,
      { ...plant, tags: ['T'], series: [{ tags, rows }] },
      { writing: { groupRows: 700 } },
    )
    await checked(written)
    writeFileSync(paths(written).parquet, Buffer.alloc(written.file.info.bytes))
    await expect(checked(written)).rejects.toMatchObject({ path: paths(written).parquet })
  })

  test('rejects a file that is cut or missing, and the index of another file', async () => {
    const written = await writeEntity(folder.path, plant)
    const { parquet, index } = paths(written)
    const other = await writeEntity(folder.path, { ...plant, series: plant.series.slice(1) })
    await expect(checkBytes({ parquet, index: paths(other).index }, nodeDisk, openBlocking)).rejects.toMatchObject({
      path: parquet,
    })
    writeFileSync(parquet, readFileSync(parquet).subarray(0, -1))
    await expect(checked(written)).rejects.toMatchObject({ path: parquet })
    rmSync(parquet)
    await expect(checked(written)).rejects.toMatchObject({ path: parquet })
    rmSync(index)
    await expect(checked(written)).rejects.toMatchObject({ path: index })
  })
})

/** Changes a section of the index and updates the checksums to match. */
function changeSection(written: Written, kind: number, change: (section: Buffer) => void): void {
  const path = paths(written).index
  const index = new FileIndex(path, openBlocking)
  const bytes = readFileSync(path)
  const at = index.sections.findIndex((section) => section.kind === kind)
  const { offset, bytes: length } = index.sections[at]
  const section = bytes.subarray(offset, offset + length)
  change(section)
  bytes.writeUInt32LE(crc32(section), 96 + at * 32 + 8)
  const tableEnd = 96 + index.sections.length * 32
  bytes.writeUInt32LE(crc32(bytes.subarray(0, tableEnd)), tableEnd)
  writeFileSync(path, bytes)
}

describe('rollups with changed bytes and valid checksums', () => {
  test.each([6, 7, 8, 11, 12, 14, 15, 16])(
    'of section %i are reported as damage, or change only numbers of hours, which verify reports',
    async (kind) => {
      const written = await writeEntity(folder.path, plant)
      const sound = readFileSync(paths(written).index)
      const undamaged = readAll(written)
      const draw = drawFrom(kind)
      for (let round = 0; round < 60; round++) {
        writeFileSync(paths(written).index, sound)
        changeSection(written, kind, (section) => {
          for (let more = draw(3); more >= 0; more--) section[draw(section.length)] = draw(256)
        })
        const seen = outcome(written)
        if (seen instanceof Error) {
          expect(seen).toBeInstanceOf(DamagedFileError)
          continue
        }
        const { sums, pooled, ...others } = seen
        expect({ ...undamaged, ...others }).toEqual(undamaged)
        if (!isDeepStrictEqual({ ...others, sums, pooled }, undamaged))
          expect(await faultsOf(written), `round ${round}`).not.toEqual([])
      }
    },
  )
})

describe('a file that differs from the one in the manifest', () => {
  test('is not read', async () => {
    const one = await writeEntity(folder.path, plant)
    const other = await writeEntity(folder.path, { ...plant, series: plant.series.slice(1) })
    for (const kind of ['parquet', 'index'] as const) writeFileSync(paths(one)[kind], readFileSync(paths(other)[kind]))
    expect(outcome(one)).toMatchObject({
      message: expect.stringMatching('does not belong to the file in the manifest'),
    })
    expect(await faultsOf(one)).not.toEqual([])
  })

  test('is not read with the pages of another file', async () => {
    const one = await writeEntity(folder.path, plant)
    const shifted = plant.series.map(({ tags, rows }) => ({
      tags,
      rows: rows.map((row) => ({ ...row, values: [7.25, ...row.values.slice(1)] })),
    }))
    const other = await writeEntity(folder.path, { ...plant, series: shifted })
    writeFileSync(paths(one).parquet, readFileSync(paths(other).parquet))
    expect(outcome(one)).toBeInstanceOf(DamagedFileError)
  })

  test.each([
    ['its Parquet file is missing', ['parquet'], 'parquet', 'it cannot be opened'],
    ['its index is missing', ['index'], 'index', 'it cannot be read'],
    ['both of its files are missing', ['parquet', 'index'], 'index', 'it cannot be read'],
  ] as const)('is not read when %s, which verify reports', async (_, missing, named, message) => {
    const written = await writeEntity(folder.path, plant)
    for (const kind of missing) rmSync(paths(written)[kind])
    const path = paths(written)[named]
    const seen = outcome(written)
    expect(seen).toBeInstanceOf(DamagedFileError)
    expect(seen).toMatchObject({ path, message: expect.stringContaining(message) })
    expect(await faultsOf(written)).toEqual([expect.stringContaining(path)])
  })
})

describe('a file with series that the registry lacks', () => {
  test('is not read, as its rows would belong to other series or to none', async () => {
    const written = await writeEntity(folder.path, plant)
    const { file } = written
    const registry = new EntityRegistry(file.info.entityId)
    for (const tag of plant.tags) registry.series.addTag(tag)
    for (const { tags } of plant.series.slice(0, -1)) registry.series.restore(tags)
    const options = { disk: nodeDisk, directory: folder.path, pageRows: 16, pageCacheBytes: 0, indexCacheBytes: 0 }
    const cut = new LocalFolder({ ...options, registryOf: () => registry })
    const seen = outcome({ ...written, folder: cut })
    expect(seen).toBeInstanceOf(DamagedFileError)
    expect(seen).toMatchObject({ path: paths(written).index, message: expect.stringMatching('it has series 4, ') })
  })
})

describe('verify', () => {
  test.each([
    ['rows', { rows: 1 }],
    ['first date', { firstMs: 5 }],
    ['last position', { lastPosition: 5 }],
    ['day', { day: 4 }],
    ['bytes of the index', { indexBytes: 5 }],
  ])('reports a manifest with different %s', async (what, change) => {
    const faults = await faultsOf(await writeEntity(folder.path, plant), change)
    expect(faults).toEqual([expect.stringMatching(`${what}: .*where the manifest has`)])
  })

  test('reports rollups of all series that differ from those of each series', async () => {
    const written = await writeEntity(folder.path, plant)
    // This byte is in the count of an hour.
    changeSection(written, 12, (section) => {
      section[section.length - 4] ^= 1
    })
    expect(await faultsOf(written)).toEqual([expect.stringMatching('the rollups of all series together')])
  })

  test.each([6, 14, 15, 16])('reports hours that do not match their rows in section %i', async (kind) => {
    const written = await writeEntity(folder.path, plant)
    const sound = readFileSync(paths(written).index)
    const told: string[] = []
    for (let fromEnd = 1; fromEnd < 40; fromEnd += 3) {
      writeFileSync(paths(written).index, sound)
      changeSection(written, kind, (section) => {
        section[section.length - fromEnd] ^= 1
      })
      told.push(...(await faultsOf(written)))
    }
    expect(told).toContainEqual(expect.stringMatching(/are not (those of its rows|of its hours)/))
  })

  test('reports series whose tags differ from those in the registry', async () => {
    const written = await writeEntity(folder.path, plant)
    written.registry.series.tags[0].codes.values[2] = 0
    expect(await faultsOf(written)).toContainEqual(
      expect.stringMatching('does not have the tags that the registry has'),
    )
  })
})

// Measures sealed files in process: tags every ten seconds, as bench/plant.ts makes them, written to one file and read back.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeDisk } from '../src/lib/node-disk.ts'
import { Pacer } from '../src/lib/pacer.ts'
import { type Chunk, newChunk, type Stretch } from '../src/store/embedded/head/chunk.ts'
import { EntityRegistry } from '../src/store/embedded/registry/entity-registry.ts'
import { openBlocking } from '../src/store/embedded/sealed/blocking-file.ts'
import { checkBytes } from '../src/store/embedded/sealed/check-bytes.ts'
import type { LocalFile } from '../src/store/embedded/sealed/local-file.ts'
import { LocalFolder } from '../src/store/embedded/sealed/local-folder.ts'
import { firstMs, stepMs, tagName } from './plant.ts'

const dayMs = 86_400_000
const mebibyte = 2 ** 20
/** The dimension and the two metrics. */
const columns = [0, 1, 2]
const areas = Array.from({ length: 8 }, (_, area) => `area ${area}`)

interface Size {
  readonly tags: number
  /** Of each tag. */
  readonly points: number
}

/** Files of a day, of few rows of each of many tags, and of one tag. */
export async function benchSealed(sizes: readonly Size[]): Promise<void> {
  for (const size of sizes) {
    const directory = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
    try {
      await benchFile(size, directory)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

async function benchFile(size: Size, directory: string): Promise<void> {
  const registry = registryOf(size.tags)
  const folder = new LocalFolder({
    disk: nodeDisk,
    directory,
    registryOf: () => registry,
    pageRows: 8192,
    pageCacheBytes: 128 * mebibyte,
    indexCacheBytes: 128 * mebibyte,
  })
  const { info } = await writeFile(folder, registry, size)
  const fresh = () => folder.open(info)
  const file = fresh()
  measure('index, cold', 100, () => fresh().open(columns, 'cached').length)
  measure('index and hours of one tag, cold', 100, () => hoursOf(fresh(), 5 % size.tags, [1]))
  measure('hours of one tag', 2000, (round) => hoursOf(file, round % size.tags, [1]))
  measure('hours of all tags, two metrics', 50, () => {
    let total = 0
    for (let tag = 0; tag < size.tags; tag++) total += hoursOf(file, tag, [1, 2])
    return total
  })
  measure('a page of one tag, first time', Math.min(size.tags, 300), (round) => pageOf(file, size.tags - 1 - round))
  measure('a page of one tag', 2000, () => pageOf(file, size.tags - 1))
  measure('newest row of all tags', 50, () => tailsOf(file))
  measure('all rows, once through', 1, () => allOf(file))
  const { paths } = file.describe()
  const begun = performance.now()
  await checkBytes(paths, nodeDisk, openBlocking)
  const perMebibyte = (performance.now() - begun) / (info.bytes / mebibyte)
  console.log(`  checked for the SQL engine: ${perMebibyte.toFixed(2)} ms a MiB`)
  const resident = Math.round(process.memoryUsage().rss / mebibyte)
  console.log(`  resident ${resident} MiB, decoded pages ${Math.round(folder.pageCacheBytes / mebibyte)} MiB`)
}

function registryOf(tags: number): EntityRegistry {
  const registry = new EntityRegistry(1)
  registry.series.addTag('T')
  registry.columns.learn('area', 'string')
  registry.columns.learn('V', 'double')
  registry.columns.learn('W', 'double')
  for (let tag = 0; tag < tags; tag++) registry.series.restore([tagName(tag)])
  return registry
}

async function writeFile(folder: LocalFolder, registry: EntityRegistry, size: Size): Promise<LocalFile> {
  const pacer = new Pacer({ sliceMs: 5, signal: new AbortController().signal })
  const order = Array.from({ length: size.tags }, (_, tag) => tag).sort(registry.series.compare)
  const writer = await folder.create({ entityId: 1, kind: 'mixed', day: null }, pacer)
  let ms = 0
  for (const tag of order) {
    const rows: Stretch = { chunk: rowsOf(tag, size), start: 0, end: size.points }
    const begun = performance.now()
    await writer.addSeries(tag, [rows])
    ms += performance.now() - begun
  }
  const begun = performance.now()
  const info = await writer.finish()
  await writer.publish()
  ms += performance.now() - begun
  const bytes = (all: number): string => (all / info.rows).toFixed(2)
  console.log(
    `a sealed file of ${info.rows} rows of ${size.tags} tags: ${(info.rows / ms / 1000).toFixed(2)} M rows/s, ` +
      `${bytes(info.bytes)} + ${bytes(info.indexBytes)} bytes a row`,
  )
  return folder.open(info)
}

/** The rows of a tag, as a head has them that was pushed in the order of time. */
function rowsOf(tag: number, { tags, points }: Size): Chunk {
  const chunk = newChunk(points)
  const first = new Float64Array(points)
  const second = new Float64Array(points)
  for (let point = 0; point < points; point++) {
    chunk.times[point] = firstMs + point * stepMs
    chunk.positions[point] = point * tags + tag
    const noise = ((tag * 7919 + point * 104_729) % 1000) / 500
    first[point] = Math.round(1000 * (50 + 20 * Math.sin(point / 300 + tag) + noise)) / 1000
    second[point] = (tag + point) % 977
  }
  chunk.columns[0] = { type: 'string', codes: new Int32Array(points).fill(tag % areas.length), dictionary: areas }
  chunk.columns[1] = { type: 'double', values: first, exact: null }
  chunk.columns[2] = { type: 'double', values: second, exact: null }
  return chunk
}

function hoursOf(file: LocalFile, tag: number, metrics: readonly number[]): number {
  const reader = file.open(columns, 'cached')
  const hours = reader.hours(reader.find(tag), firstMs, firstMs + dayMs)
  return metrics.reduce((sum, metric) => sum + (hours?.column(metric)?.sums[0] ?? 0), 0)
}

function pageOf(file: LocalFile, tag: number): number {
  const reader = file.open(columns, 'cached')
  for (const { end } of reader.forward(reader.find(tag), firstMs, firstMs)) return end
  return 0
}

function tailsOf(file: LocalFile): number {
  const reader = file.open(columns, 'cached')
  let total = 0
  for (let place = 0; place < reader.length; place++) total += reader.tail(place)?.chunk.times[place] ?? 0
  return total
}

function allOf(file: LocalFile): number {
  const reader = file.open(columns, 'once')
  let positions = 0
  for (let place = 0; place < reader.length; place++) {
    for (const { chunk, start } of reader.forward(place, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY))
      positions += chunk.positions[start]
  }
  return positions
}

function measure(name: string, rounds: number, work: (round: number) => number): void {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    if (Number.isNaN(work(round))) throw new Error('there are no numbers')
    times.push(performance.now() - begun)
  }
  times.sort((left, right) => left - right)
  const at = (share: number): string => times[Math.floor(times.length * share)].toFixed(4).padStart(10)
  console.log(`  ${name.padEnd(36)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`)
}

// Measures sealed files in process: a day of tags every ten seconds, as bench/plant.ts makes them, written and read back.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeDisk } from '../src/lib/node-disk.ts'
import { Pacer } from '../src/lib/pacer.ts'
import { type Chunk, newChunk } from '../src/store/embedded/chunk.ts'
import { EntityRegistry } from '../src/store/embedded/entity-registry.ts'
import { StoredFolder } from '../src/store/embedded/sealed/stored-folder.ts'
import { firstMs, stepMs, tagName } from './plant.ts'

const tags = Number(process.argv[2] ?? 1000)
const points = Number(process.argv[3] ?? 8640)
const dayMs = 86_400_000
const pacer = new Pacer({ sliceMs: 5, signal: new AbortController().signal })

const registry = new EntityRegistry(1)
registry.series.addTag('T')
registry.columns.learn('area', 'string')
registry.columns.learn('V', 'double')
registry.columns.learn('W', 'double')
for (let tag = 0; tag < tags; tag++) registry.series.restore([tagName(tag)])

const areas = Array.from({ length: 8 }, (_, area) => `area ${area}`)

/** The rows of a tag, as a head has them that was pushed in the order of time. */
function rowsOf(tag: number): Chunk {
  const chunk = newChunk(points)
  const codes = new Int32Array(points).fill(tag % 8)
  const first = new Float64Array(points)
  const second = new Float64Array(points)
  for (let point = 0; point < points; point++) {
    chunk.times[point] = firstMs + point * stepMs
    chunk.positions[point] = point * tags + tag
    first[point] =
      Math.round(1000 * (50 + 20 * Math.sin(point / 300 + tag) + ((tag * 7919 + point * 104_729) % 1000) / 500)) / 1000
    second[point] = (tag + point) % 977
  }
  chunk.columns[0] = { type: 'string', codes, dictionary: areas }
  chunk.columns[1] = { type: 'double', values: first, exact: null }
  chunk.columns[2] = { type: 'double', values: second, exact: null }
  return chunk
}

function measure(name: string, rounds: number, work: (round: number) => void): void {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    work(round)
    times.push(performance.now() - begun)
  }
  times.sort((left, right) => left - right)
  const at = (share: number): string => times[Math.floor(times.length * share)].toFixed(4)
  console.log(`${name.padEnd(48)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`)
}

async function main(directory: string): Promise<void> {
  const folder = new StoredFolder({
    disk: nodeDisk,
    directory,
    registryOf: () => registry,
    pageRows: 8192,
    pageCacheBytes: 128 * 1024 * 1024,
    indexCacheBytes: 128 * 1024 * 1024,
  })
  let writeMs = 0
  let begun = performance.now()
  const writer = await folder.create({ entityId: 1, kind: 'day', day: firstMs / dayMs }, pacer)
  for (const tag of Array.from({ length: tags }, (_, number) => number).sort(registry.series.compare)) {
    const chunk = rowsOf(tag)
    begun = performance.now()
    await writer.addSeries(tag, [{ chunk, start: 0, end: points }])
    writeMs += performance.now() - begun
  }
  begun = performance.now()
  await writer.finish()
  const { info } = await writer.publish()
  const finishMs = performance.now() - begun
  await folder.sync(1)
  const perRow = (bytes: number): string => (bytes / info.rows).toFixed(2)
  console.log(
    `${info.rows} rows written: ${(info.rows / (writeMs + finishMs) / 1000).toFixed(2)} M rows/s, finish ${finishMs.toFixed(0)} ms`,
  )
  console.log(
    `${perRow(info.bytes)} + ${perRow(info.indexBytes)} bytes a row; RSS ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
  )

  const columns = [0, 1, 2]
  measure('open: the index alone', 100, () => void folder.open(info).open(columns, 'cached').find(5))
  measure('open and hours of one series', 100, () => {
    const reader = folder.open(info).open(columns, 'cached')
    const sums = reader.hours(reader.find(5), firstMs, firstMs + dayMs)?.column(1)
    if (sums === undefined) return
  })
  const file = folder.open(info)
  measure('warm: hours of one series', 2000, (round) => {
    const reader = file.open(columns, 'cached')
    const sums = reader.hours(reader.find(round % tags), firstMs, firstMs + dayMs)?.column(1)
    if (sums === null) throw new Error('no rollups')
  })
  measure('warm: hours of all series, two columns', 50, () => {
    const reader = file.open(columns, 'cached')
    let total = 0
    for (let place = 0; place < reader.length; place++) {
      const hours = reader.hours(place, firstMs, firstMs + dayMs)
      total += (hours?.column(1)?.sums[0] ?? 0) + (hours?.column(2)?.sums[0] ?? 0)
    }
    if (Number.isNaN(total)) throw new Error('no sums')
  })
  measure('cold: one page of one series, three columns', Math.min(tags, 300), (round) => {
    const reader = file.open(columns, 'cached')
    for (const segment of reader.forward(reader.find(tags - 1 - round), firstMs, firstMs))
      if (segment.end === 0) throw new Error()
  })
  measure('warm: one page of one series', 2000, () => {
    const reader = file.open(columns, 'cached')
    for (const segment of reader.forward(reader.find(tags - 1), firstMs, firstMs))
      if (segment.end === 0) throw new Error()
  })
  measure('latest of all series', 50, () => {
    const reader = file.open(columns, 'cached')
    let total = 0
    for (let place = 0; place < reader.length; place++) total += reader.tail(place)?.chunk.times[place] ?? 0
    if (Number.isNaN(total)) throw new Error('no tails')
  })
  begun = performance.now()
  const passing = file.open(columns, 'once')
  let rows = 0
  for (let place = 0; place < passing.length; place++) {
    for (const { chunk, start, end } of passing.forward(place, 0, 2 ** 52))
      rows += chunk.positions.length > 0 ? end - start : 0
  }
  console.log(`${rows} rows read once, all columns: ${(rows / (performance.now() - begun) / 1000).toFixed(2)} M rows/s`)
  console.log(
    `RSS ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB; cached pages ${Math.round(folder.pageCacheBytes / 2 ** 20)} MiB`,
  )
}

const directory = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
await main(directory).finally(() => rmSync(directory, { recursive: true, force: true }))

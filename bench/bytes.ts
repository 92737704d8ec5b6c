// How the bytes of a data folder are distributed when all rows are in files: by column, by section of the index, by part of the folder.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { openBlocking } from '../src/store/embedded/sealed/blocking-file.ts'
import { FileIndex } from '../src/store/embedded/sealed/file-index.ts'
import { sectionKinds } from '../src/store/embedded/sealed/index-layout.ts'
import { callOk, makeIngest } from '../test/support/api.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import { bringToRest } from './at-rest.ts'
import { type DataSet, dataSets } from './data-sets.ts'
import { printTable } from './figures.ts'
import { request, runLoad } from './load.ts'
import { drain } from './plant.ts'

/** Fills a folder with about `rows` rows of each data set, and prints the bytes per row of each part. */
export async function benchBytes(rows: number, names: readonly string[]): Promise<void> {
  for (const set of dataSets(rows)) {
    if (names.length > 0 && !names.includes(set.name)) continue
    const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
    try {
      await measure(dataDirectory, set)
    } finally {
      await rm(dataDirectory, { recursive: true, force: true })
    }
  }
}

async function measure(dataDirectory: string, set: DataSet): Promise<void> {
  const rows = await fill(dataDirectory, set)
  await bringToRest(dataDirectory, rows)
  const parts = new Map<string, number>()
  const add = (part: string, bytes: number): void => {
    if (bytes > 0) parts.set(part, (parts.get(part) ?? 0) + bytes)
  }
  const files = await filesIn(dataDirectory)
  for (const [path, bytes] of files) {
    if (path.endsWith('.index')) addSections(join(dataDirectory, path), bytes, add)
    else if (!path.endsWith('.parquet')) add(partOf(path), bytes)
  }
  const sealed = [...files].filter(([path]) => path.endsWith('.parquet'))
  await addColumns(
    sealed.map(([path]) => join(dataDirectory, path)),
    sealed.reduce((sum, [, bytes]) => sum + bytes, 0),
    add,
  )
  const all = [...parts.values()].reduce((sum, bytes) => sum + bytes, 0)
  printTable(
    `${set.name}: ${rows} rows in ${sealed.length} files`,
    ['part', 'bytes a row'],
    [
      ...[...parts]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([part, bytes]) => [part, inRow(bytes, rows)]),
      ['all', inRow(all, rows)],
    ],
  )
}

const inRow = (bytes: number, rows: number): string => (bytes / rows).toFixed(3)

async function fill(dataDirectory: string, { fields, bodies }: DataSet): Promise<number> {
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const key = await makeIngest(server.url, adminKey, { alias: 'rows', fields })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' }
    const waiting = bodies()[Symbol.iterator]()
    const next = (): Uint8Array | null => {
      const { value, done } = waiting.next()
      return done === true ? null : request(server.url, 'POST', '/ingests/rows/data', headers, value)
    }
    await runLoad({ url: server.url, connections: 2, next })
    await drain(server.url, 'rows')
    const { counters } = await callOk<{ counters: { stored: number } }>(server.url, 'GET', '/admin/ingests/rows', {
      key: adminKey,
    })
    return counters.stored
  } finally {
    await server.stop()
  }
}

/** The lengths of all files, by their paths within the folder. */
async function filesIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const lengths = await Promise.all(
    paths.map(async (path) => [relative(folder, path), (await stat(path)).size] as const),
  )
  return new Map(lengths)
}

const partOf = (path: string): string => (path.endsWith('series.log') ? 'registry' : path.split(/[/.]/)[0]!)

type Add = (part: string, bytes: number) => void

function addSections(path: string, bytes: number, add: Add): void {
  const index = new FileIndex(path, openBlocking)
  const names = new Map<number, string>(Object.entries(sectionKinds).map(([name, id]) => [id, name]))
  let rest = bytes
  for (const section of index.sections) {
    add(`index: ${names.get(section.kind) ?? section.kind}`, section.bytes)
    rest -= section.bytes
  }
  add('index: header', rest)
}

async function addColumns(paths: readonly string[], bytes: number, add: Add): Promise<void> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const list = paths.map((path) => `'${path.replaceAll("'", "''")}'`).join()
  const reader = await connection.runAndReadAll(
    `SELECT path_in_schema, encodings, compression, sum(total_compressed_size)::DOUBLE, sum(data_page_offset - dictionary_page_offset)::DOUBLE
     FROM parquet_metadata([${list}]) GROUP BY ALL`,
  )
  let rest = bytes
  for (const [column, encodings, codec, chunks, dictionary] of reader.getRows()) {
    const encoding = String(encodings).replaceAll(/PLAIN, |, PLAIN|, RLE$|^RLE, /g, '')
    add(`column ${String(column)}: ${encoding}, ${String(codec)}`, Number(chunks) - Number(dictionary ?? 0))
    add(`column ${String(column)}: dictionary`, Number(dictionary ?? 0))
    rest -= Number(chunks)
  }
  add('footers', rest)
}

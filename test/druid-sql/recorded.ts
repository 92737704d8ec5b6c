// The recording of queries and a real Druid's answers, if it exists next to the project, and a DuckDB with the recording's data sets.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { type SqlTable, sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { type CheckedSql, translateSql } from '../../src/druid-sql/translate.ts'
import { valueAt } from '../../src/model/column.ts'
import type { EntityField } from '../../src/model/entity.ts'
import { formatInstant } from '../../src/model/instant.ts'
import { Problem } from '../../src/model/problem.ts'
import { DuckdbEngine } from '../../src/sql-engine/duckdb/duckdb-engine.ts'
import { type EngineTable, LongOverflow, type SqlEngine } from '../../src/sql-engine/sql-engine.ts'

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../../shared/druid')
export const isRecorded = existsSync(join(folder, 'sql-queries.json'))

export interface RecordedQuery {
  readonly id: string
  readonly level: 'MUST' | 'SHOULD' | 'RARE'
  readonly sql: string
  readonly expect?: 'error'
}

interface DataSet {
  readonly name: string
  readonly tidemark: { readonly fields: readonly EntityField[] }
}

interface Recording {
  readonly status: number
  readonly body: unknown
  readonly big?: { readonly rows: number }
}

export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly text?: string
}

/** The comparison tool's own modules, plain JavaScript next to the recording. */
interface Tool {
  readonly corpus: {
    readonly DATASET_NAMES: readonly string[]
    dataset(name: string): DataSet
    lines(set: DataSet, target: 'tidemark'): string[]
    sqlQueries(): RecordedQuery[]
  }
  readonly answers: {
    judge(
      query: RecordedQuery,
      recorded: unknown,
      actual: Reply,
    ): { readonly verdict: string; readonly reason?: string }
    failed(recording: Recording): boolean
  }
  readonly json: { parse(text: string): never }
}

export async function loadTool(): Promise<Tool> {
  const load = async (name: string): Promise<never> =>
    (await import(pathToFileURL(join(folder, 'lib', name)).href)) as never
  return { corpus: await load('corpus.mjs'), answers: await load('answers.mjs'), json: await load('json.mjs') }
}

/** Druid's answer to each query, without those that were quarantined by hand. */
export function recordings({ json }: Tool): ReadonlyMap<string, Recording> {
  const read = (name: string): string => readFileSync(join(folder, 'fixtures', name), 'utf8')
  const settled: Record<string, string> = JSON.parse(read('settled.json'))
  const all: (Recording & { id: string })[] = json.parse(read('answers-sql.json'))
  const wanted = all.filter(({ id }) => settled[id] !== 'skip')
  return new Map(wanted.map((entry) => [entry.id, { ...entry, status: Number(entry.status) }]))
}

export interface RecordedData {
  readonly engine: SqlEngine
  readonly tables: readonly SqlTable[]
  readonly engineTables: ReadonlyMap<number, EngineTable>
}

const readAs = {
  string: 'VARCHAR',
  long: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BOOLEAN',
  timestamp: 'VARCHAR',
  json: 'JSON',
}
const storedAs = { ...readAs, timestamp: 'TIMESTAMPTZ' }

/** Writes the data sets as Parquet files to a folder, and opens an engine that can read them. */
export async function loadData({ corpus }: Tool, directory: string): Promise<RecordedData> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  const tables: SqlTable[] = []
  const engineTables = new Map<number, EngineTable>()
  for (const [index, name] of corpus.DATASET_NAMES.entries()) {
    const set = corpus.dataset(name)
    const { fields } = set.tidemark
    const entity = { id: index + 1, name, fields }
    const json = join(directory, `${name}.ndjson`)
    const path = join(directory, `${name}.parquet`)
    writeFileSync(json, `${corpus.lines(set, 'tidemark').join('\n')}\n`)
    const columns = fields.map((field) => `'${field.name}': '${readAs[field.type]}'`)
    const items = fields.map((field) => `CAST("${field.name}" AS ${storedAs[field.type]}) AS "${field.name}"`)
    const read = `read_json('${json}', format = 'newline_delimited', columns = {${columns}})`
    await connection.run(`COPY (SELECT ${items} FROM ${read}) TO '${path}' (FORMAT parquet)`)
    tables.push(sqlTable(entity))
    const whole = { firstMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY, isDistinct: true }
    const files = [{ path, checkedBy: null, fields: fields.map((field) => field.name), ...whole }]
    engineTables.set(entity.id, {
      entityId: entity.id,
      fields: engineFields(entity),
      files,
      sinceMs: null,
      replacesBy: null,
    })
  }
  instance.closeSync()
  const engine = await DuckdbEngine.open({
    directories: [directory],
    temporaryDirectory: join(directory, 'temporary'),
    temporaryBytes: 2 ** 30,
    memoryBytes: 2 ** 30,
    textBytes: 2 ** 26,
    threads: 2,
  })
  return { engine, tables, engineTables }
}

function engineFields({ fields }: DataSet['tidemark']): EngineTable['fields'] {
  const time = fields.filter((field) => field.role === 'time')
  const others = fields.filter((field) => field.role !== 'time')
  return [...time, ...others].map(({ name, type }) => ({ name, type: type === 'json' ? 'string' : type }))
}

/** Runs a query as the service would, and returns its rows as plain values. */
export async function ask(data: RecordedData, text: string): Promise<Reply> {
  try {
    const checked = translateSql(text, data.tables)
    try {
      return await rowsOf(data, checked)
    } catch (error) {
      if (!(error instanceof LongOverflow)) throw error
      return await rowsOf(data, { ...checked, text: checked.wrappedText })
    }
  } catch (error) {
    if (error instanceof Problem) return { status: error.status, text: error.message }
    return { status: 500, text: String(error) }
  }
}

async function rowsOf(
  { engine, engineTables }: RecordedData,
  { text, columns, entityIds }: CheckedSql,
): Promise<Reply> {
  const query = {
    text,
    types: columns.map(({ type }) => type),
    tables: entityIds.map((id) => engineTables.get(id)!),
  }
  const body: object[] = []
  for await (const batch of engine.run(query, { resultRows: 1_000_000 }, new AbortController().signal)) {
    for (let row = 0; row < batch.rows; row += 1) {
      const values = columns.map(({ name, type }, index) => {
        const value = valueAt(batch.columns[index]!, row)
        return [name, typeof value === 'number' && type === 'timestamp' ? formatInstant(value) : value]
      })
      body.push(Object.fromEntries(values))
    }
  }
  return { status: 200, body }
}

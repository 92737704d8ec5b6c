// The queries that a real Druid answered, where the recording lies beside the project, and a DuckDB that holds their data sets.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { EntityField } from '../../src/model/entity.ts'
import { formatInstant } from '../../src/model/instant.ts'
import { Problem } from '../../src/model/problem.ts'
import { type SqlTable, sqlTable } from '../../src/query/sql/tables.ts'
import { type CheckedSql, translateSql } from '../../src/query/sql/translate.ts'

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

/** The comparing tool's own modules, plain JavaScript beside the recording. */
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

/** What Druid answered to each query, without those that a person has set aside. */
export function recordings({ json }: Tool): ReadonlyMap<string, Recording> {
  const read = (name: string): string => readFileSync(join(folder, 'fixtures', name), 'utf8')
  const settled: Record<string, string> = JSON.parse(read('settled.json'))
  const all: (Recording & { id: string })[] = json.parse(read('answers-sql.json'))
  const wanted = all.filter(({ id }) => settled[id] !== 'skip')
  return new Map(wanted.map((entry) => [entry.id, { ...entry, status: Number(entry.status) }]))
}

export interface RecordedData {
  readonly connection: DuckDBConnection
  readonly tables: readonly SqlTable[]
}

const storedAs = {
  string: 'VARCHAR',
  long: 'BIGINT',
  double: 'DOUBLE',
  boolean: 'BIGINT',
  timestamp: 'TIMESTAMP',
  json: 'JSON',
}
const readAs = { ...storedAs, boolean: 'BOOLEAN', timestamp: 'VARCHAR' }

/** The data sets as the engine's tables. */
export async function loadData({ corpus }: Tool): Promise<RecordedData> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-druid-sql-'))
  const tables: SqlTable[] = []
  for (const [index, name] of corpus.DATASET_NAMES.entries()) {
    const set = corpus.dataset(name)
    const { fields } = set.tidemark
    const table = sqlTable({ id: index + 1, name, fields })
    const file = join(directory, `${name}.ndjson`)
    writeFileSync(file, `${corpus.lines(set, 'tidemark').join('\n')}\n`)
    const types = new Map(fields.map((field) => [field.name, field.type]))
    const columns = fields.map((field) => `'${field.name}': '${readAs[field.type]}'`)
    const items = table.columns.map(({ field }, at) => `CAST("${field}" AS ${storedAs[types.get(field)!]}) AS c${at}`)
    await connection.run(
      `CREATE TABLE entity_${table.entityId} AS SELECT ${items} FROM read_json('${file}', format = 'newline_delimited', columns = {${columns}})`,
    )
    tables.push(table)
  }
  rmSync(directory, { recursive: true })
  return { connection, tables }
}

/** Runs a text as the service would, and gives its rows as plain values. */
export async function ask({ connection, tables }: RecordedData, text: string): Promise<Reply> {
  try {
    try {
      return await rowsOf(connection, translateSql(text, tables))
    } catch (error) {
      if (error instanceof Problem || !/Out of Range/.test(String(error))) throw error
      return await rowsOf(connection, translateSql(text, tables, { wraps: true }))
    }
  } catch (error) {
    return { status: 400, text: String(error) }
  }
}

async function rowsOf(connection: DuckDBConnection, { text, columns }: CheckedSql): Promise<Reply> {
  const reader = await connection.runAndReadAll(text)
  const body = reader.getRows().map((row) =>
    Object.fromEntries(
      row.map((value, index) => {
        const { name, type } = columns[index]!
        if (value !== null && type === 'timestamp') return [name, formatInstant(Number(value))]
        if (typeof value === 'number' && !Number.isFinite(value)) return [name, String(value)]
        return [name, value]
      }),
    ),
  )
  return { status: 200, body }
}

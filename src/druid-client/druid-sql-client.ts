import { withExactLongs } from '../lib/json-with-longs.ts'
import { type Sql, type SqlParameter, sql } from '../lib/sql-text.ts'
import type { ColumnType } from '../model/column.ts'
import { Problem } from '../model/problem.ts'
import type { EngineBatch, EngineLimits } from '../sql-engine/sql-engine.ts'
import { newColumnBuilder } from '../store/column-builder.ts'
import type { DruidClient } from './druid-client.ts'
import { asProblem, asRefusal, DruidFailure } from './druid-failure.ts'
import { jsonElements, jsonLines } from './json-elements.ts'

export interface DruidSqlClientSettings {
  /** What the names of data sources begin with. */
  readonly clusterName: string
  /** How long Druid may work on one query. */
  readonly queryTimeMs: number
}

export interface DruidSqlClientParts {
  readonly client: Pick<DruidClient, 'query'>
  readonly settings: DruidSqlClientSettings
  readonly nowMs: () => number
}

/** A statement of Druid's SQL, and what its columns hold. */
export interface DruidStatement {
  readonly statement: Sql
  readonly types: readonly ColumnType[]
  /** How many rows stand in the statement itself, at each place where it has them; none where it is left out. */
  readonly inlineRows?: number
  /** By whose clocks it means its times; UTC where it is left out. */
  readonly zone?: string | undefined
  /** Whether it groups by an array, or by several sets of columns. */
  readonly needsWholeGroups?: boolean
}

/** Exact where Druid would estimate by itself. Without the last, `SUM(CASE WHEN x THEN n ELSE 0 END)` is null where x holds for no row. */
const exactness = {
  useApproximateCountDistinct: false,
  useGroupingSetForExactDistinct: true,
  useApproximateTopN: false,
  extendedFilteredSumRewrite: false,
}

/** The other way to count different values, which takes texts of LATEST, EARLIEST or ANY_VALUE beside them, and may take less else. */
const otherExactness = { ...exactness, useGroupingSetForExactDistinct: false }
const needsOther = /^Aggregation \[MIN\] does not support type \[STRING\]/

/** Else groups by an array, and those of ROLLUP, lose parts of their rows where a LIMIT takes some of them. */
const wholeGroups = { applyLimitPushDown: false }

type Rows = readonly (readonly unknown[])[]

/** Druid's own bound on the rows of subqueries that it puts together, which counts those of the statement too. */
const subqueryRows = 100_000

/** Rows of the statement are put together again where a common table that has them is named again. */
const inlineTimes = 4

/** How long it is good what Druid's SQL knows of the columns: Druid itself looks every few seconds at the most. */
const columnsAgeMs = 2000

/** Runs statements of Druid's SQL that our own code wrote. */
export class DruidSqlClient {
  readonly #parts: DruidSqlClientParts
  #columns: { readonly known: ReadonlyMap<string, ReadonlySet<string>>; readonly atMs: number } | null = null

  constructor(parts: DruidSqlClientParts) {
    this.#parts = parts
  }

  /**
   * The rows of a statement, as they come. Throws Problem `invalid_request` with Druid's own words for what it refuses, `result_too_large`
   * when there are more rows than may be, `unavailable`, `query_timeout` or `overloaded`, and the signal's reason when it is aborted.
   */
  async *run(
    { statement, types, ...asked }: DruidStatement,
    { resultRows }: EngineLimits,
    signal: AbortSignal,
  ): AsyncGenerator<EngineBatch> {
    let count = 0
    for await (const rows of this.#rows(statement, signal, asked)) {
      count += rows.length
      if (count > resultRows) throw tooManyRows(resultRows)
      const builders = types.map(newColumnBuilder)
      builders.forEach((builder, index) => {
        for (const row of rows) builder.push(valueOfType(types[index], row[index]))
      })
      const places = Int32Array.from(rows, (_, place) => place)
      yield { rows: rows.length, columns: builders.map((builder) => builder.pick(places)) }
    }
  }

  /** The columns of the cluster's data sources as Druid's SQL knows them now: those of new fields come a little later than their rows. */
  async knownColumns(signal: AbortSignal): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const { settings, nowMs } = this.#parts
    if (this.#columns !== null && nowMs() - this.#columns.atMs < columnsAgeMs) return this.#columns.known
    const known = new Map<string, Set<string>>()
    for await (const rows of this.#rows(columnsOf(`${settings.clusterName}_`), signal)) {
      for (const [table, column] of rows) {
        const columns = known.get(String(table)) ?? new Set<string>()
        known.set(String(table), columns.add(String(column)))
      }
    }
    this.#columns = { known, atMs: nowMs() }
    return known
  }

  /**
   * The answer to a native query that our own code wrote, as pieces of JSON. Druid ends it by itself after `queryTimeMs`. Throws as `run`
   * does, but for the limit of rows; and Problem `invalid_request` for what Druid refuses.
   */
  async *native(query: object, signal: AbortSignal, queryTimeMs: number): AsyncGenerator<string> {
    const { client, settings } = this.#parts
    let opening = '['
    try {
      const pieces = client.query('native', query, {
        signal,
        timeoutMs: Math.ceil(Math.min(settings.queryTimeMs, queryTimeMs)),
      })
      for await (const text of jsonElements(pieces)) {
        const elements = withoutSegments(text.slice(text.indexOf('[') + 1, text.lastIndexOf(']')))
        if (elements.trim() === '') continue
        yield `${opening}${elements}`
        opening = ','
      }
    } catch (error) {
      throw forCaller(error, 'query_data')
    }
    yield opening === '[' ? '[]' : ']'
  }

  async *#rows(
    { text, parameters }: Sql,
    signal: AbortSignal,
    { inlineRows = 0, zone, needsWholeGroups = false }: Omit<DruidStatement, 'statement' | 'types'> = {},
  ): AsyncGenerator<Rows> {
    // Room for what comes along, and for what other subqueries may have.
    const room = inlineRows === 0 ? {} : { maxSubqueryRows: subqueryRows + inlineTimes * inlineRows }
    const context = {
      ...room,
      ...(zone === undefined ? {} : { sqlTimeZone: zone }),
      ...(needsWholeGroups ? wholeGroups : {}),
    }
    const query = { query: text, parameters: parameters.map(parameter), resultFormat: 'arrayLines' }
    try {
      yield* this.#asked({ ...query, context: { ...context, ...exactness } }, signal)
    } catch (error) {
      if (!(error instanceof DruidFailure) || !needsOther.test(error.facts.message)) throw forCaller(error, 'sql_query')
      // It was refused as it was planned: there was no row yet.
      yield* this.#otherwise({ ...query, context: { ...context, ...otherExactness } }, signal)
    }
  }

  async *#otherwise(query: object, signal: AbortSignal): AsyncGenerator<Rows> {
    try {
      yield* this.#asked(query, signal)
    } catch (error) {
      throw forCaller(error, 'sql_query')
    }
  }

  async *#asked(query: object, signal: AbortSignal): AsyncGenerator<Rows> {
    const { client, settings } = this.#parts
    for await (const lines of jsonLines(client.query('sql', query, { signal, timeoutMs: settings.queryTimeMs }))) {
      yield rowsIn(withExactLongs(lines))
    }
  }
}

/** An underscore in the prefix stands for any character: what comes besides is never asked for. */
function columnsOf(prefix: string): Sql {
  const schema = sql`SELECT TABLE_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'druid'`
  return sql`${schema} AND TABLE_NAME LIKE ${`${prefix}%`}`
}

function parameter(value: SqlParameter): { type: string; value: unknown } {
  if (typeof value !== 'string') throw new Error('only texts are parameters of statements for Druid')
  return { type: 'VARCHAR', value }
}

function rowsIn(json: string): Rows {
  const rows: unknown = JSON.parse(json)
  if (!Array.isArray(rows)) throw new Error('Druid answered something other than rows')
  return rows
}

/** Instants come as texts, those of LATEST and EARLIEST as texts of milliseconds. */
function valueOfType(type: ColumnType, value: unknown): unknown {
  if (type !== 'timestamp' || typeof value !== 'string') return value
  return /^-?\d+$/.test(value) ? Number(value) : Date.parse(value.replace(farYear, withSixDigits))
}

/** A year before 0000 or beyond 9999: Druid writes it with a sign where it is negative, and as many digits as it has. */
const farYear = /^(?:-(\d+)|(\d{5,}))(?=-)/

/** As `Date` reads it. */
function withSixDigits(_year: string, before: string | undefined, after: string | undefined): string {
  return before === undefined ? `+${after!.padStart(6, '0')}` : `-${before.padStart(6, '0')}`
}

/** What the caller is told; `path` is the property that holds the query. */
function forCaller(error: unknown, path: string): unknown {
  const problem = asProblem(error)
  return problem instanceof DruidFailure ? asRefusal(problem, path) : problem
}

/** Segments are named by data sources, which are none of the caller's business. A text that holds this has its quotes escaped. */
function withoutSegments(json: string): string {
  return json
    .replace(/\{"segmentId":"[^"]*","columns":\[/g, '{"segmentId":null,"columns":[')
    .replace(/\{"id":"[^"]*","intervals":/g, '{"id":"merged","intervals":')
}

function tooManyRows(limit: number): Problem {
  return new Problem(
    'result_too_large',
    `The answer would have more than ${limit} rows, and limits.resultRows is ${limit}. Ask for a shorter range of __time, for fewer groups, or add LIMIT.`,
  )
}

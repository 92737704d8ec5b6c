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
  /** The prefix of data source names. */
  readonly clusterName: string
  /** Time limit of one Druid query. */
  readonly queryTimeMs: number
}

export interface DruidSqlClientParts {
  readonly client: Pick<DruidClient, 'query'>
  readonly settings: DruidSqlClientSettings
  readonly nowMs: () => number
}

/** A statement of Druid's SQL, and the types of its columns. */
export interface DruidStatement {
  readonly statement: Sql
  readonly types: readonly ColumnType[]
  /** The number of rows that the statement itself contains, at each place where it has them; 0 if omitted. */
  readonly inlineRows?: number
  /** The time zone of the times in the statement; UTC if omitted. */
  readonly zone?: string | undefined
  /** Whether it groups by an array, or by several sets of columns. */
  readonly needsWholeGroups?: boolean
}

/** Exact results where Druid would estimate. Without the last setting, `SUM(CASE WHEN x THEN n ELSE 0 END)` is null where x is true for no row. */
const exactness = {
  useApproximateCountDistinct: false,
  useGroupingSetForExactDistinct: true,
  useApproximateTopN: false,
  extendedFilteredSumRewrite: false,
}

/** The other way to count distinct values. It accepts string results of LATEST, EARLIEST or ANY_VALUE next to them, but may accept less otherwise. */
const otherExactness = { ...exactness, useGroupingSetForExactDistinct: false }
const needsOther = /^Aggregation \[MIN\] does not support type \[STRING\]/

/** Without it, groups by an array and groups of ROLLUP lose parts of their rows when a LIMIT applies. */
const wholeGroups = { applyLimitPushDown: false }

type Rows = readonly (readonly unknown[])[]

/** Druid's default limit on the rows of subqueries that it materializes. Rows in the statement count too. */
const subqueryRows = 100_000

/** Rows in the statement are materialized again wherever the common table that contains them is referenced again. */
const inlineTimes = 4

/** How long the known columns stay valid. Druid itself refreshes them only every few seconds. */
const columnsAgeMs = 2000

/** Runs Druid SQL statements that our own code wrote. */
export class DruidSqlClient {
  readonly #parts: DruidSqlClientParts
  #columns: { readonly known: ReadonlyMap<string, ReadonlySet<string>>; readonly atMs: number } | null = null

  constructor(parts: DruidSqlClientParts) {
    this.#parts = parts
  }

  /**
   * The rows of a statement, as they arrive. Throws Problem `invalid_request` with Druid's message for a refused statement, `result_too_large`
   * when there are more rows than allowed, `unavailable`, `query_timeout` or `overloaded`, and the signal's reason when it is aborted.
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

  /** The columns of the cluster's data sources that Druid's SQL knows now. Those of new fields appear a little later than their rows. */
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
   * The result of a native query that our own code wrote, as pieces of JSON. Druid ends it on its own after `queryTimeMs`. Throws as `run` does, also
   * Problem `invalid_request` for a query that Druid refuses, but has no limit of rows.
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
    // Capacity for the rows in the statement, and for those of other subqueries.
    const limit = inlineRows === 0 ? {} : { maxSubqueryRows: subqueryRows + inlineTimes * inlineRows }
    const context = {
      ...limit,
      ...(zone === undefined ? {} : { sqlTimeZone: zone }),
      ...(needsWholeGroups ? wholeGroups : {}),
    }
    const query = { query: text, parameters: parameters.map(parameter), resultFormat: 'arrayLines' }
    try {
      yield* this.#asked({ ...query, context: { ...context, ...exactness } }, signal)
    } catch (error) {
      if (!(error instanceof DruidFailure) || !needsOther.test(error.facts.message)) throw forCaller(error, 'sql_query')
      // It was refused during planning, so no row was returned yet.
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

/** An underscore in the prefix matches any character; other tables found in this way are never looked up. */
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

/** Instants arrive as strings, those of LATEST and EARLIEST as strings of milliseconds. */
function valueOfType(type: ColumnType, value: unknown): unknown {
  if (type !== 'timestamp' || typeof value !== 'string') return value
  return /^-?\d+$/.test(value) ? Number(value) : Date.parse(value.replace(farYear, withSixDigits))
}

/** A year before 0000 or beyond 9999. Druid writes a sign only if it is negative, and does not pad the digits. */
const farYear = /^(?:-(\d+)|(\d{5,}))(?=-)/

/** The year in the form that `Date` parses. */
function withSixDigits(_year: string, before: string | undefined, after: string | undefined): string {
  return before === undefined ? `+${after!.padStart(6, '0')}` : `-${before.padStart(6, '0')}`
}

/** The error for the caller; `path` is the property that contains the query. */
function forCaller(error: unknown, path: string): unknown {
  const problem = asProblem(error)
  return problem instanceof DruidFailure ? asRefusal(problem, path) : problem
}

/** Removes the names of segments, which contain internal names of data sources. In strings such text has escaped quotes, so it does not match. */
function withoutSegments(json: string): string {
  return json
    .replace(/\{"segmentId":"[^"]*","columns":\[/g, '{"segmentId":null,"columns":[')
    .replace(/\{"id":"[^"]*","intervals":/g, '{"id":"merged","intervals":')
}

function tooManyRows(limit: number): Problem {
  return new Problem(
    'result_too_large',
    `The answer would have more than ${limit} rows, and limits.resultRows is ${limit}. Narrow the range of __time, use fewer groups, or add LIMIT.`,
  )
}

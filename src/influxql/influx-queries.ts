// InfluxQL queries. Each statement becomes an SQL query, which runs as any other SQL query does, on both engines.
import { inTime } from '../admission/in-time.ts'
import type { Queries } from '../admission/queries.ts'
import type { Reader } from '../admission/reader.ts'
import type { AnswerSettings } from '../answer/store-rows.ts'
import { storeText } from '../answer/store-text.ts'
import type { UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { sqlValue } from '../druid-sql/parse/sql-value.ts'
import type { FormattedSqlQuery, SqlLimits } from '../druid-sql/sql-language.ts'
import { Zone } from '../druid-time/zone.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import { Pacer } from '../lib/pacer.ts'
import type { Sql } from '../lib/sql-text.ts'
import { systemTimer, type Timer } from '../lib/timer.ts'
import type { Entity } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import { type Row, rowsLayout, rowsOf } from './answer-rows.ts'
import { planSelect } from './plan-select.ts'
import { refused } from './refusals.ts'
import { scopeOf } from './scope.ts'
import { type SeriesPart, seriesOf, unitsPerRow } from './series.ts'
import { show, showDatabases } from './show.ts'
import type { Select, Show, Statement } from './syntax.ts'
import { type ResultFormat, type StatementResult, writeResults } from './write-results.ts'

export interface InfluxQuestion {
  readonly statements: readonly Statement[]
  /** The database of statements that name none. */
  readonly database: string | null
  readonly format: ResultFormat
}

export interface InfluxQueriesParts {
  readonly definitions: Pick<Definitions, 'ingest' | 'ingests' | 'entity' | 'entities'>
  readonly sqlQueries: Pick<Queries<FormattedSqlQuery>, 'run'>
  readonly unsent: UnsentAnswers
  readonly settings: AnswerSettings
  readonly limits: SqlLimits
  readonly nowMs: () => number
  readonly timer?: Timer
}

const advice = 'Narrow the query: a shorter range, fewer columns or fewer statements.'

interface RequestContext {
  readonly database: string | null
  readonly reader: Reader
  readonly signal: CancelSignal
  readonly nowMs: number
}

export class InfluxQueries {
  readonly #parts: InfluxQueriesParts

  constructor(parts: InfluxQueriesParts) {
    this.#parts = parts
  }

  /**
   * Runs all statements and returns one body, which the caller must release. A statement at fault has its error in the body, and the statements
   * after it are not run. All statements share the time limit of one query. Throws the other Problems of SQL queries.
   */
  run(question: InfluxQuestion, signal: CancelSignal, reader: Reader): Promise<Answer> {
    const { limits, timer = systemTimer } = this.#parts
    const { queryTimeMs } = limits
    return inTime({ signal, queryTimeMs, timer, advice }, (deadline) => this.#answer(question, deadline, reader))
  }

  async #answer(
    { statements, database, format }: InfluxQuestion,
    signal: CancelSignal,
    reader: Reader,
  ): Promise<Answer> {
    const { limits, unsent, settings, nowMs } = this.#parts
    const context = { database, reader, signal, nowMs: nowMs() }
    let rows = 0
    const count = (some: number): void => {
      rows += some
    }
    const pieces = writeResults(this.#results(statements, context, count), format)
    const stored = await storeText(
      pieces,
      { resultBytes: limits.resultBytes, budget: unsent.budget() },
      settings,
      signal,
    )
    return unsent.open({ ...stored, rows })
  }

  async *#results(
    statements: readonly Statement[],
    context: RequestContext,
    count: (rows: number) => void,
  ): AsyncGenerator<StatementResult> {
    let hasFailed = false
    for (const statement of statements) {
      if (hasFailed) {
        yield { error: 'not executed' }
        continue
      }
      try {
        yield await this.#result(statement, context, count)
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 400) throw error
        hasFailed = true
        yield { error: error.message }
      }
    }
  }

  async #result(
    statement: Statement,
    context: RequestContext,
    count: (rows: number) => void,
  ): Promise<StatementResult> {
    if (statement.kind === 'select') return this.#select(statement, context, count)
    return { zone: Zone.utc, parts: statement.kind === 'show' ? await this.#show(statement, context) : [] }
  }

  async #select(select: Select, context: RequestContext, count: (rows: number) => void): Promise<StatementResult> {
    const { buckets: bucketsMax } = this.#parts.limits
    const { nowMs } = context
    const { entity, names } = this.#database(select.sources, context)
    const plan = planSelect(select, scopeOf(entity), names, { nowMs, bucketsMax })
    if (plan === null) return { zone: Zone.utc, parts: [] }
    const answer = await this.#ask(plan.query, context)
    count(answer.rows)
    const working = { bucketsMax, nowMs, pacer: this.#pacer(context) }
    return { zone: plan.zone, parts: released(answer, seriesOf(plan, rowsOf(answer), working)) }
  }

  async #show(statement: Show, context: RequestContext): Promise<Iterable<SeriesPart>> {
    if (statement.what === 'databases') return showDatabases(this.#databases(context.reader))
    const sources =
      statement.database === null ? statement.sources : [{ database: statement.database, measurement: '' }]
    const { entity, names } = this.#database(sources, context)
    const ask = async (query: Sql): Promise<readonly Row[]> => {
      const answer = await this.#ask(query, context)
      const rows: Row[] = []
      const pacer = this.#pacer(context)
      for await (const some of released(answer, rowsOf(answer))) {
        for (const row of some) rows.push(row)
        if (pacer.spend(some.length * unitsPerRow)) await pacer.rest()
      }
      return rows
    }
    return show(statement, { scope: scopeOf(entity), names, clock: { nowMs: context.nowMs, zone: Zone.utc }, ask })
  }

  #pacer({ signal }: RequestContext): Pacer {
    return new Pacer({ sliceMs: this.#parts.settings.sliceMs, signal })
  }

  #ask({ text, parameters }: Sql, { reader, signal }: RequestContext): Promise<Answer> {
    const question = { text, parameters: parameters.map(sqlValue), format: rowsLayout }
    return this.#parts.sqlQueries.run(question, signal, reader)
  }

  /** Rows written to an ingest can be read under the ingest's name, so it is a database; each entity is one under its own name. */
  #databases({ mayRead }: Reader): readonly string[] {
    const { definitions } = this.#parts
    const ingests = [...definitions.ingests()].flatMap(({ kind, alias, entity }) =>
      kind === 'series' && mayRead(entity) ? [alias] : [],
    )
    const entities = definitions.entities().map(({ name }) => name)
    return [...new Set([...ingests, ...entities.filter(mayRead)])].sort()
  }

  #database(
    sources: readonly { readonly database: string | null }[],
    { database, reader }: RequestContext,
  ): { readonly entity: Entity; readonly names: readonly string[] } {
    const { definitions } = this.#parts
    const named = [...new Set(sources.map((source) => source.database ?? database))]
    const [name = database] = named
    if (named.length > 1) throw refused('A statement reads one database: send a statement for each.')
    if (name == null || name === '') throw refused('database name required: name the ingest or the entity as db=')
    // InfluxDB 1.8 also has the form `db/rp`.
    const alias = name.replace(/\/.*/s, '')
    // Rows written to an ingest are read under its name, even if another entity has that name.
    const entity = [definitions.ingest(alias)?.entity, alias]
      .flatMap((one) => (one == null ? [] : (definitions.entity(one) ?? [])))
      .find((one) => reader.mayRead(one.name))
    if (entity === undefined) throw refused(`database not found: ${name}`)
    return { entity, names: [entity.name, alias] }
  }
}

async function* released<Item>(answer: Answer, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items
  } finally {
    answer.release()
  }
}

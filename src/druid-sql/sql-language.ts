// Druid's SQL over the tables that the reader may read, answered from the store's own columns, by the SQL engine or by Druid.

import type { Engine, Language, QueryContext, QueryLimits, ReadQuery } from '../admission/queries.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { Zone } from '../druid-time/zone.ts'
import { type CancelSignal, nativeSignal } from '../lib/cancellation.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { DruidLayout, TypedDruidLayout } from '../model/druid-layout.ts'
import type { Entity, EntityField } from '../model/entity.ts'
import type { PlanLimits } from '../model/plan.ts'
import { invalidRequest } from '../model/problem.ts'
import { type EntityFilesParts, onTables } from '../sql-engine/entity-table.ts'
import { type EngineItems, type EngineQuery, type EngineTable, LongOverflow } from '../sql-engine/sql-engine.ts'
import { explainedQuery, explanationQuestion } from './explain/explanation.ts'
import { type ItemsParts, readItems } from './items/read-items.ts'
import { requireRowsOf } from './plan/needed-rows.ts'
import { planSql } from './plan/plan-sql.ts'
import type { PlannedSql, PlannedSqlQuery } from './plan/sql-plan.ts'
import { type ReadableTables, readableTables } from './readable-tables.ts'
import { formatOf, type SqlQuery } from './sql-query.ts'
import { type CheckedSql, fieldsOf, translateSql } from './translate.ts'

export interface SqlLimits extends QueryLimits {
  readonly sqlTokens: number
}

/** A query, with the format of its answer. */
export interface FormattedSqlQuery extends SqlQuery {
  readonly format: AnswerFormat | DruidLayout
}

/** A query whose text was checked. */
export interface CheckedQuery {
  readonly question: SqlQuery
  readonly checked: CheckedSql
  readonly readable: ReadableTables
  /** The series entities that the query reads. */
  readonly entities: readonly Entity[]
  readonly format: AnswerFormat | TypedDruidLayout
}

/** A query for the SQL engine to run, with the format of its rows. */
export interface SqlRequest {
  readonly query: EngineQuery
  /** The columns of the answer. */
  readonly fields: readonly EntityField[]
  readonly format: AnswerFormat | TypedDruidLayout
  readonly limits: Pick<PlanLimits, 'resultRows' | 'resultBytes'>
}

/** Runs checked queries in a separate process. Settles only after the run has really ended. */
export interface SqlRunner {
  run(request: SqlRequest, signal: AbortSignal): Promise<Answer>
}

/** Answers from the store's own columns; null where it leaves the plan to the SQL engine after all. */
export interface SqlPlanRunner {
  run(question: PlannedSqlQuery, limits: PlanLimits, signal: CancelSignal): Promise<Answer | null>
}

export interface SqlLanguageParts {
  readonly definitions: Pick<Definitions, 'entities' | 'metadataEntities'>
  readonly metadata: ItemsParts
  /** Where the rows of entities are: on one machine in files and in the store, else in Druid. */
  readonly rows:
    | ({ readonly store: SqlPlanRunner } & EntityFilesParts)
    | { readonly druid: { answer(query: CheckedQuery, deadline: AbortSignal): Promise<Answer> } }
  /** On a cluster it runs queries of INFORMATION_SCHEMA or metadata alone: Druid has no metadata, and would name the entities of other callers. */
  readonly sqlEngine: SqlRunner
  readonly limits: SqlLimits
  readonly nowMs: () => number
}

/** Throws Problem `invalid_request` with the place in the text. */
export class SqlLanguage implements Language<FormattedSqlQuery> {
  readonly advice = 'Narrow the query: a shorter range of __time, fewer columns or fewer groups.'
  readonly #parts: SqlLanguageParts

  constructor(parts: SqlLanguageParts) {
    this.#parts = parts
  }

  timeoutMs({ timeoutMs = 0 }: FormattedSqlQuery): number {
    return timeoutMs
  }

  read(asked: FormattedSqlQuery, { reader }: Pick<QueryContext, 'reader'>): ReadQuery {
    const { definitions, limits } = this.#parts
    const readable = readableTables(definitions, reader)
    const explained = asked.explains ? explainedQuery(asked.text, limits.sqlTokens) : null
    if (explained === null) return { kind: 'sql', engines: this.#engines(this.#check(asked, readable)) }
    const explanation = this.#explanation(this.#check({ ...asked, text: explained }, readable), asked.format)
    return { kind: 'sql', engines: this.#engines(this.#check(explanation, readable)) }
  }

  #check(asked: FormattedSqlQuery, readable: ReadableTables): CheckedQuery {
    const { text, parameters, zone, listsFunctions } = asked
    const { sqlTokens: tokensMax } = this.#parts.limits
    const checked = translateSql(text, readable.tables, { tokensMax, parameters, zone, listsFunctions })
    const entities = readable.entities.filter(({ id }) => checked.entityIds.includes(id))
    return { question: asked, checked, readable, entities, format: formatOf(asked.format, checked.columns, asked) }
  }

  /**
   * Explains how a query would be answered. It is not known yet whether the store will find the query too large after all. Druid's own explanation would
   * name its data sources and hidden columns, so this one contains the caller's own query.
   */
  #explanation(query: CheckedQuery, format: FormattedSqlQuery['format']): FormattedSqlQuery {
    const plan = this.#plan(query)
    const answeredBy = this.#isForDruid(query) ? 'druid' : plan === null ? 'sql-engine' : 'store'
    const { question, checked, readable } = query
    return { ...explanationQuestion({ text: question.text, checked, readable, plan, answeredBy }), format }
  }

  #engines(query: CheckedQuery): readonly Engine[] {
    const { rows } = this.#parts
    const sqlEngine: Engine = { name: 'sql-engine', answer: (deadline) => this.#bySqlEngine(query, deadline) }
    if ('store' in rows)
      return [{ name: 'store', answer: (deadline) => this.#byStore(query, rows.store, deadline) }, sqlEngine]
    const { druid } = rows
    return this.#isForDruid(query) ? [{ name: null, answer: ({ signal }) => druid.answer(query, signal) }] : [sqlEngine]
  }

  /** Whether the query reads anything that Druid has, or nothing at all. */
  #isForDruid({ checked, entities }: CheckedQuery): boolean {
    return 'druid' in this.#parts.rows && (entities.length > 0 || !(checked.readsCatalog || checked.items.length > 0))
  }

  /** Null where the SQL engine must answer. */
  #plan({ question, checked, entities: [entity, ...others] }: CheckedQuery): PlannedSql | null {
    const { rows, nowMs } = this.#parts
    const isPlanned = 'store' in rows && entity !== undefined && others.length === 0
    return isPlanned ? planSql(question, checked, entity, nowMs()) : null
  }

  async #byStore(query: CheckedQuery, store: SqlPlanRunner, signal: CancelSignal): Promise<Answer | null> {
    const plan = this.#plan(query)
    return plan && store.run({ language: 'sql', plan, format: query.format }, this.#parts.limits, signal)
  }

  async #bySqlEngine(query: CheckedQuery, signal: CancelSignal): Promise<Answer> {
    const { metadata, rows } = this.#parts
    const { checked, readable, entities, question } = query
    requireRowsOf(entities, checked.rows, { nowMs: this.#parts.nowMs(), zone: question.zone ?? Zone.utc })
    const items = await readItems(checked.items, readable.metadataEntities, metadata, signal)
    const answer = (text: string, tables: readonly EngineTable[]): Promise<Answer> =>
      this.#run(query, { text, tables, items }, signal)
    const wrapping = async (tables: readonly EngineTable[]): Promise<Answer> => {
      try {
        return await answer(checked.text, tables)
      } catch (error) {
        if (!(error instanceof LongOverflow)) throw error
        return withinRange(answer(checked.wrappedText, tables))
      }
    }
    return 'store' in rows ? onTables(entities, rows, signal, wrapping) : wrapping([])
  }

  #run(
    { checked: { columns }, format }: CheckedQuery,
    asked: { readonly text: string; readonly tables: readonly EngineTable[]; readonly items: readonly EngineItems[] },
    signal: CancelSignal,
  ): Promise<Answer> {
    const { resultRows, resultBytes } = this.#parts.limits
    const query = { ...asked, types: columns.map(({ type }) => type) }
    const request = { query, fields: fieldsOf(columns), format, limits: { resultRows, resultBytes } }
    return this.#parts.sqlEngine.run(request, nativeSignal(signal))
  }
}

/** The query's numbers wrap around, so a remaining overflow is that of a time, or of a function that accepts no number that large. */
async function withinRange(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof LongOverflow)) throw error
    throw invalidRequest('sql_query', 'a number or a time is beyond its range')
  }
}

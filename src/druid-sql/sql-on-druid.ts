// Runs a query in Druid's SQL on a cluster: checked as on one machine, rewritten for Druid, and sent to it.

import { type AnswerSettings, type RowStream, storeRows } from '../answer/store-rows.ts'
import type { UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Answer } from '../answer/whole-answer.ts'
import { timeBuckets } from '../druid-time/plain-granularity.ts'
import { Zone } from '../druid-time/zone.ts'
import { Pacer } from '../lib/pacer.ts'
import type { Sql } from '../lib/sql-text.ts'
import type { ColumnType } from '../model/column.ts'
import { Problem } from '../model/problem.ts'
import type { EngineBatch, EngineLimits } from '../sql-engine/sql-engine.ts'
import type { GroupsQuerier } from '../store/series-store.ts'
import { type ItemsParts, readItems } from './items/read-items.ts'
import { answerSql } from './plan/answer-sql.ts'
import { requireRowsOf } from './plan/needed-rows.ts'
import { planSql } from './plan/plan-sql.ts'
import { druidStatement } from './rewrite/druid-statement.ts'
import type { KnownColumns } from './rewrite/entity-source.ts'
import type { CheckedQuery, SqlLimits } from './sql-language.ts'
import { fieldsOf } from './translate.ts'

/** Runs statements of Druid's SQL that the service itself wrote. */
export interface DruidStatements {
  run(
    query: {
      readonly statement: Sql
      readonly types: readonly ColumnType[]
      readonly inlineRows?: number
      readonly zone?: string | undefined
      /** Whether the statement groups by an array, or by several sets of columns. */
      readonly needsWholeGroups?: boolean
    },
    limits: EngineLimits,
    signal: AbortSignal,
  ): AsyncIterable<EngineBatch>
  /** The columns of the data sources as Druid's SQL knows them now. */
  knownColumns(signal: AbortSignal): Promise<KnownColumns>
}

export interface SqlOnDruidParts {
  /** Answers queries over expired rows from their hours; returns null for any other query. */
  readonly store: Pick<GroupsQuerier, 'aggregate'>
  readonly nowMs: () => number
  readonly metadata: ItemsParts
  readonly engine: DruidStatements
  readonly clusterName: string
  readonly limits: SqlLimits
  readonly unsent: UnsentAnswers
  readonly settings: AnswerSettings
}

export class SqlOnDruid {
  readonly #parts: SqlOnDruidParts

  constructor(parts: SqlOnDruidParts) {
    this.#parts = parts
  }

  /** Throws Problem `result_too_large`, `overloaded` or `unavailable`, and the signal's reason when it is aborted. */
  async answer(query: CheckedQuery, deadline: AbortSignal): Promise<Answer> {
    return (await this.#overHours(query, deadline)) ?? this.#byDruid(query, deadline)
  }

  /** Null where the existing rows are sufficient. Throws Problem `rows_expired` where rows are needed that have expired. */
  async #overHours(
    { question, checked, entities, format }: CheckedQuery,
    deadline: AbortSignal,
  ): Promise<Answer | null> {
    const { store, nowMs, limits, settings } = this.#parts
    const entity = entities.find(({ hours }) => hours !== undefined)
    if (entity === undefined) return null
    const clock = { nowMs: nowMs(), zone: question.zone ?? Zone.utc }
    const plan = entities.length > 1 ? null : planSql(question, checked, entity, clock.nowMs)
    if (plan === null || 'scan' in plan) {
      requireRowsOf(entities, checked.rows, clock)
      return null
    }
    const { aggregation } = plan
    const groups = await store.aggregate(aggregation, deadline, timeBuckets(aggregation.granularity))
    if (groups === null) return null
    const pacer = new Pacer({ sliceMs: settings.sliceMs, signal: deadline })
    const rows = await answerSql(plan, groups, limits, pacer)
    if (rows === null) throw tooManyRows(limits.resultRows)
    return this.#stored(rows, format, deadline)
  }

  async #byDruid({ question, checked, readable, format }: CheckedQuery, deadline: AbortSignal): Promise<Answer> {
    const { engine, clusterName, metadata, limits } = this.#parts
    const { zone } = question
    const { query, columns, items: needed, namedKeys, needsWholeGroups } = checked
    const { tables, entities, metadataEntities } = readable
    const items = await readItems(needed, metadataEntities, metadata, deadline)
    const known = await engine.knownColumns(deadline)
    const sources = { tables, entities, clusterName, known, items }
    const statement = druidStatement({ query, zone }, sources, namedKeys)
    const inlineRows = items.reduce((sum, { rows }, index) => sum + rows * needed[index]!.uses, 0)
    const batches = engine.run(
      { statement, types: columns.map(({ type }) => type), inlineRows, zone: zone?.name, needsWholeGroups },
      limits,
      deadline,
    )
    return this.#stored({ fields: fieldsOf(columns), batches }, format, deadline)
  }

  async #stored(rows: RowStream, format: CheckedQuery['format'], deadline: AbortSignal): Promise<Answer> {
    const { limits, unsent, settings } = this.#parts
    const shape = { format, resultBytes: limits.resultBytes, budget: unsent.budget() }
    return unsent.open(await storeRows(rows, shape, settings, deadline))
  }
}

function tooManyRows(rowsMax: number): Problem {
  return new Problem(
    'result_too_large',
    `The answer would have more than ${rowsMax} rows, which is limits.resultRows. Narrow the range of __time, or add a LIMIT.`,
  )
}

// One query of Druid's SQL on a cluster: checked as on one machine, written again for Druid, and sent there.

import type { Admission } from '../admission/admission.ts'
import { inTime, timeAllowed } from '../admission/in-time.ts'
import type { Reader } from '../admission/reader.ts'
import { type AnswerSettings, type AnswerShape, storeRows } from '../answer/store-rows.ts'
import type { UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { Sql } from '../lib/sql-text.ts'
import { systemTimer } from '../lib/timer.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { ColumnType } from '../model/column.ts'
import type { DruidLayout } from '../model/druid-layout.ts'
import type { EntityField } from '../model/entity.ts'
import type { EngineBatch, EngineLimits } from '../sql-engine/sql-engine.ts'
import { explainedQuery } from './explain/explained-query.ts'
import { explanationQuestion } from './explain/explanation.ts'
import { type ItemsParts, readItems } from './items/read-items.ts'
import { type SqlQuestion, shapeOf } from './question.ts'
import { type ReadableTables, readableTables } from './readable-tables.ts'
import { druidStatement } from './rewrite/druid-statement.ts'
import type { KnownColumns } from './rewrite/entity-source.ts'
import type { SqlQueries, SqlQueryLimits } from './sql-queries.ts'
import { type CheckedSql, translateSql } from './translate.ts'

/** Runs statements of Druid's SQL that our own code wrote. */
export interface DruidStatements {
  run(
    query: {
      readonly statement: Sql
      readonly types: readonly ColumnType[]
      readonly inlineRows?: number
      readonly zone?: string | undefined
      /** Whether it groups by an array, or by several sets of columns. */
      readonly needsWholeGroups?: boolean
    },
    limits: EngineLimits,
    signal: AbortSignal,
  ): AsyncIterable<EngineBatch>
  /** What Druid's SQL knows of the data sources now. */
  knownColumns(signal: AbortSignal): Promise<KnownColumns>
}

export interface ClusterSqlQueriesParts {
  readonly definitions: Pick<Definitions, 'entities' | 'metadataEntities'>
  readonly metadata: ItemsParts
  readonly engine: DruidStatements
  /** Answers what reads INFORMATION_SCHEMA or metadata alone: Druid knows no metadata, and would name the entities of other callers. */
  readonly catalogQueries: Pick<SqlQueries, 'run'>
  readonly clusterName: string
  readonly admission: Admission
  readonly limits: SqlQueryLimits
  readonly unsent: UnsentAnswers
  readonly settings: AnswerSettings
}

const advice = 'Ask for a shorter range of __time, fewer columns or fewer groups.'

export class ClusterSqlQueries {
  readonly #parts: ClusterSqlQueriesParts

  constructor(parts: ClusterSqlQueriesParts) {
    this.#parts = parts
  }

  /** As `SqlQueries.run`. */
  async run(
    question: SqlQuestion,
    format: AnswerFormat | DruidLayout,
    signal: CancelSignal,
    reader: Reader,
  ): Promise<Answer> {
    const { definitions, catalogQueries, limits } = this.#parts
    const explained = question.explains ? explainedQuery(question.text, limits.sqlTokens) : null
    if (explained === null) return this.#run(question, format, signal, reader)
    const asked = this.#explained({ ...question, text: explained }, readableTables(definitions, reader))
    return catalogQueries.run({ ...asked, timeoutMs: question.timeoutMs }, format, signal, reader)
  }

  /** Druid's own explanation would name its data sources and hidden columns, so the caller's own query is told. */
  #explained(question: SqlQuestion, readable: ReadableTables): SqlQuestion {
    const { text, parameters, zone, listsFunctions } = question
    const options = { tokensMax: this.#parts.limits.sqlTokens, parameters, zone, listsFunctions }
    const checked = translateSql(text, readable.tables, options)
    const answeredBy = isOurs(checked) ? 'sql-engine' : 'druid'
    return explanationQuestion({ text, checked, readable, plan: null, answeredBy })
  }

  async #run(
    question: SqlQuestion,
    format: AnswerFormat | DruidLayout,
    signal: CancelSignal,
    reader: Reader,
  ): Promise<Answer> {
    const { definitions, catalogQueries, admission, limits } = this.#parts
    const readable = readableTables(definitions, reader)
    const { text, parameters, zone, listsFunctions } = question
    const allowed = timeAllowed(question.timeoutMs ?? 0, limits)
    return inTime({ signal, ...allowed, timer: systemTimer, advice }, async ({ signal: deadline }) => {
      const checked = translateSql(text, readable.tables, {
        tokensMax: limits.sqlTokens,
        parameters,
        zone,
        listsFunctions,
      })
      if (isOurs(checked)) return catalogQueries.run(question, format, deadline, reader)
      const leave = await admission.enter('sql', reader.id, deadline)
      try {
        return await this.#ask(question, checked, readable, shapeOf(format, checked.columns, question), deadline)
      } finally {
        leave()
      }
    })
  }

  async #ask(
    { text, parameters, zone }: SqlQuestion,
    { columns, items: needed, namedKeys, needsWholeGroups }: CheckedSql,
    { tables, entities, metadataEntities }: ReadableTables,
    format: AnswerShape['format'],
    deadline: AbortSignal,
  ): Promise<Answer> {
    const { engine, clusterName, metadata, limits, unsent, settings } = this.#parts
    const items = await readItems(needed, metadataEntities, metadata, deadline)
    const known = await engine.knownColumns(deadline)
    const sources = { tables, entities, clusterName, known, items }
    const statement = druidStatement({ text, parameters, zone }, sources, namedKeys)
    const fields = columns.map(({ name, type }): EntityField => ({ name, type, role: 'dimension' }))
    const inlineRows = items.reduce((sum, { rows }, index) => sum + rows * needed[index]!.uses, 0)
    const batches = engine.run(
      { statement, types: columns.map(({ type }) => type), inlineRows, zone: zone?.name, needsWholeGroups },
      limits,
      deadline,
    )
    const shape = { format, resultBytes: limits.resultBytes, room: unsent.room() }
    return unsent.open(await storeRows({ fields, batches }, shape, settings, deadline))
  }
}

/** Whether it reads nothing that Druid has. */
function isOurs({ entityIds, items, readsCatalog }: CheckedSql): boolean {
  return (readsCatalog || items.length > 0) && entityIds.length === 0
}

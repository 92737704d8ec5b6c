// One query of Druid's SQL: text -> checked query -> files and items that it reads -> answer, within the limits that all queries share.

import type { Admission } from '../admission/admission.ts'
import { inTime, timeAllowed } from '../admission/in-time.ts'
import type { Reader } from '../admission/reader.ts'
import { AttributedAnswer } from '../answer/attributed-answer.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { type CancelSignal, nativeSignal } from '../lib/cancellation.ts'
import { systemTimer, type Timer } from '../lib/timer.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import { damagedData } from '../model/damaged-data.ts'
import type { DruidLayout, DruidShape } from '../model/druid-layout.ts'
import type { Entity, EntityField } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import { engineTable } from '../sql-engine/entity-table.ts'
import {
  DamagedRows,
  type EngineItems,
  type EngineQuery,
  type EngineSnapshot,
  type EngineSnapshots,
  LongOverflow,
} from '../sql-engine/sql-engine.ts'
import { explainedQuery } from './explain/explained-query.ts'
import { explanationQuestion } from './explain/explanation.ts'
import { type ItemsParts, readItems } from './items/read-items.ts'
import { planSql } from './plan/plan-sql.ts'
import type { PlannedSql } from './plan/sql-plan.ts'
import { type SqlQuestion, shapeOf } from './question.ts'
import { type ReadableTables, readableTables } from './readable-tables.ts'
import { type CheckedSql, translateSql } from './translate.ts'

export interface SqlQueryLimits {
  readonly queryTimeMs: number
  readonly sqlTokens: number
  readonly resultRows: number
  readonly resultBytes: number
}

/** What an engine is to run, and how the rows are to be written. */
export interface SqlRequest {
  readonly query: EngineQuery
  /** The columns of the answer. */
  readonly fields: readonly EntityField[]
  readonly format: AnswerFormat | DruidShape
  readonly limits: Pick<SqlQueryLimits, 'resultRows' | 'resultBytes'>
}

/** Runs checked queries, in a process of its own. Settles when the run has really ended. */
export interface SqlRunner {
  run(request: SqlRequest, signal: AbortSignal): Promise<Answer>
}

/** Answers from the store's own columns what can be planned so; null where it leaves a plan to the SQL engine after all. */
export interface SqlPlanRunner {
  runSqlPlan(
    plan: PlannedSql,
    format: AnswerFormat | DruidShape,
    limits: SqlRequest['limits'],
    signal: CancelSignal,
  ): Promise<Answer | null>
}

export interface SqlQueriesParts {
  readonly definitions: Pick<Definitions, 'entities' | 'metadataEntities'>
  readonly metadata: ItemsParts
  readonly snapshots: EngineSnapshots
  readonly runner: SqlRunner
  /** Null where no rows of entities are stored here. */
  readonly planRunner: SqlPlanRunner | null
  /** The places that all queries share. */
  readonly admission: Admission
  /** Told of a file that cannot be read: the caller does not learn which. */
  readonly damaged: (file: Pick<DamagedRows, 'path' | 'message'>) => void
  readonly limits: SqlQueryLimits
  readonly nowMs: () => number
  readonly timer?: Timer
}

const advice = 'Ask for a shorter range of __time, fewer columns or fewer groups.'

/** What one query reads, beside its files. */
interface Reads {
  readonly checked: CheckedSql
  /** The same query, its whole numbers going round. */
  readonly wrapping: () => CheckedSql
  readonly entities: readonly Entity[]
  readonly items: readonly EngineItems[]
  readonly format: AnswerFormat | DruidShape
}

export class SqlQueries {
  readonly #parts: SqlQueriesParts

  constructor(parts: SqlQueriesParts) {
    this.#parts = parts
  }

  /**
   * Answers one query of Druid's SQL over the entities and metadata that the caller may read. Whoever gets the answer releases it. Throws Problem
   * `invalid_request`, with the place in the text, `result_too_large`, `overloaded`, `query_timeout` or `unavailable`, and the signal's reason.
   */
  async run(
    question: SqlQuestion,
    format: AnswerFormat | DruidLayout,
    signal: CancelSignal,
    reader: Reader,
  ): Promise<Answer> {
    const { definitions, limits } = this.#parts
    const explained = question.explains ? explainedQuery(question.text, limits.sqlTokens) : null
    if (explained === null) return this.#run(question, format, signal, reader)
    const asked = this.#explained({ ...question, text: explained }, readableTables(definitions, reader))
    return this.#run({ ...asked, timeoutMs: question.timeoutMs }, format, signal, reader)
  }

  /** How a query would be answered. Whether the store finds that it is too much for it after all is not known before. */
  #explained(question: SqlQuestion, readable: ReadableTables): SqlQuestion {
    const { limits, planRunner, nowMs } = this.#parts
    const { text, parameters, zone, listsFunctions } = question
    const options = { tokensMax: limits.sqlTokens, parameters, zone, listsFunctions }
    const checked = translateSql(text, readable.tables, options)
    const [entity, ...others] = readable.entities.filter(({ id }) => checked.entityIds.includes(id))
    const isPlanned = planRunner !== null && entity !== undefined && others.length === 0
    const plan = isPlanned ? planSql(question, checked, entity, nowMs()) : null
    return explanationQuestion({ text, checked, readable, plan, answeredBy: plan === null ? 'sql-engine' : 'store' })
  }

  async #run(
    question: SqlQuestion,
    format: AnswerFormat | DruidLayout,
    signal: CancelSignal,
    reader: Reader,
  ): Promise<Answer> {
    const { definitions, metadata, admission, limits, timer = systemTimer } = this.#parts
    const { entities, metadataEntities, tables } = readableTables(definitions, reader)
    const { text, parameters, zone, listsFunctions } = question
    const translate = (wraps: boolean): CheckedSql =>
      translateSql(text, tables, { wraps, tokensMax: limits.sqlTokens, parameters, zone, listsFunctions })
    const allowed = timeAllowed(question.timeoutMs ?? 0, limits)
    return inTime({ signal, ...allowed, timer, advice }, async (deadline) => {
      const checked = translate(false)
      const leave = await admission.enter('sql', reader.id, deadline)
      try {
        const read = entities.filter(({ id }) => checked.entityIds.includes(id))
        const shape = shapeOf(format, checked.columns, question)
        const planned = await this.#planned(question, checked, read, shape, deadline)
        if (planned !== null) return new AttributedAnswer('store', planned)
        const items = await readItems(checked.items, metadataEntities, metadata, deadline)
        const wrapping = (): CheckedSql => translate(true)
        const answer = await this.#runOn({ checked, wrapping, entities: read, items, format: shape }, deadline)
        return new AttributedAnswer('sql-engine', answer)
      } finally {
        leave()
      }
    })
  }

  /** Null where the SQL engine is to be asked. */
  async #planned(
    question: SqlQuestion,
    checked: CheckedSql,
    [entity, ...others]: readonly Entity[],
    format: AnswerFormat | DruidShape,
    signal: CancelSignal,
  ): Promise<Answer | null> {
    const { planRunner, nowMs, limits } = this.#parts
    if (planRunner === null || entity === undefined || others.length > 0) return null
    const plan = planSql(question, checked, entity, nowMs())
    const { resultRows, resultBytes } = limits
    return plan === null ? null : planRunner.runSqlPlan(plan, format, { resultRows, resultBytes }, signal)
  }

  async #runOn(reads: Reads, signal: CancelSignal): Promise<Answer> {
    const snapshot = await this.#snapshot(reads.entities, signal)
    try {
      return await this.#answer(reads.checked, reads, snapshot, signal)
    } catch (error) {
      if (error instanceof LongOverflow)
        return await withinRange(this.#answer(reads.wrapping(), reads, snapshot, signal))
      // The files went while they were read: nobody is at fault, and the next query finds new ones.
      if (snapshot.isLost() && !(error instanceof Problem) && !signal.aborted) throw storeWentAway(error)
      if (error instanceof DamagedRows) {
        this.#parts.damaged(error)
        throw damagedData()
      }
      throw error
    } finally {
      snapshot.release()
    }
  }

  async #snapshot(read: readonly Entity[], signal: CancelSignal): Promise<EngineSnapshot> {
    if (read.length === 0) return { entities: [], isLost: () => false, release: () => undefined }
    return this.#parts.snapshots.snapshot(
      read.map(({ id }) => id),
      signal,
    )
  }

  #answer(
    { text, columns }: CheckedSql,
    { entities, items, format }: Reads,
    snapshot: EngineSnapshot,
    signal: CancelSignal,
  ): Promise<Answer> {
    const { runner, limits } = this.#parts
    const files = new Map(snapshot.entities.map((entity) => [entity.entityId, entity.files]))
    const tables = entities.map((entity) => engineTable(entity, files.get(entity.id) ?? []))
    const query = { text, types: columns.map(({ type }) => type), tables, items }
    const fields = columns.map(({ name, type }): EntityField => ({ name, type, role: 'dimension' }))
    const { resultRows, resultBytes } = limits
    return runner.run({ query, fields, format, limits: { resultRows, resultBytes } }, nativeSignal(signal))
  }
}

function storeWentAway(cause: unknown): Problem {
  return new Problem('unavailable', 'The store was started again while the query ran. Ask again in a moment.', {
    cause,
  })
}

/** The numbers of the query go round: what still is beyond its range is a time, or what takes no number as large. */
async function withinRange(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof LongOverflow)) throw error
    const message = 'a number or a time is beyond its range'
    throw new Problem('invalid_request', `sql_query: ${message}`, { errors: [{ path: 'sql_query', message }] })
  }
}

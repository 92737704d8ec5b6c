// One query of Druid's SQL: text -> checked query -> files of the rows that it reads -> answer, within the limits that all queries share.

import type { Admission } from '../admission/admission.ts'
import { inTime } from '../admission/in-time.ts'
import type { Reader } from '../admission/reader.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { systemTimer, type Timer } from '../lib/timer.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import { damagedData } from '../model/damaged-data.ts'
import type { Entity, EntityField } from '../model/entity.ts'
import { Problem } from '../model/problem.ts'
import { engineTable } from '../sql-engine/entity-table.ts'
import {
  DamagedRows,
  type EngineQuery,
  type EngineSnapshot,
  type EngineSnapshots,
  LongOverflow,
} from '../sql-engine/sql-engine.ts'
import { type SqlTable, sqlTable } from './bind/tables.ts'
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
  readonly format: AnswerFormat
  readonly limits: Pick<SqlQueryLimits, 'resultRows' | 'resultBytes'>
}

/** Runs checked queries, in a process of its own. Settles when the run has really ended. */
export interface SqlRunner {
  run(request: SqlRequest, signal: AbortSignal): Promise<Answer>
}

export interface SqlQueriesParts {
  readonly definitions: Pick<Definitions, 'entities'>
  readonly snapshots: EngineSnapshots
  readonly runner: SqlRunner
  /** The places that all queries share. */
  readonly admission: Admission
  /** Told of a file that cannot be read: the caller does not learn which. */
  readonly damaged: (file: Pick<DamagedRows, 'path' | 'message'>) => void
  readonly limits: SqlQueryLimits
  readonly timer?: Timer
}

const advice = 'Ask for a shorter range of __time, fewer columns or fewer groups.'

export class SqlQueries {
  readonly #parts: SqlQueriesParts
  /** An entity that changes is another object. */
  readonly #tables = new WeakMap<Entity, SqlTable>()

  constructor(parts: SqlQueriesParts) {
    this.#parts = parts
  }

  /**
   * Answers one query of Druid's SQL over the entities that the caller may read. Whoever gets the answer releases it. Throws Problem
   * `invalid_request`, with the place in the text, `result_too_large`, `overloaded`, `query_timeout` or `unavailable`, and the signal's
   * reason when it is aborted.
   */
  async run(text: string, format: AnswerFormat, signal: AbortSignal, reader: Reader): Promise<Answer> {
    const { definitions, admission, limits, timer = systemTimer } = this.#parts
    const entities = definitions.entities().filter(({ name }) => reader.mayRead(name))
    const translate = (wraps: boolean): CheckedSql => {
      return translateSql(
        text,
        entities.map((entity) => this.#table(entity)),
        { wraps, tokensMax: limits.sqlTokens },
      )
    }
    const { queryTimeMs } = limits
    return inTime({ signal, queryTimeMs, timer, advice }, async (deadline) => {
      const checked = translate(false)
      const leave = await admission.enter('sql', reader.id, deadline)
      try {
        return await this.#runOn(entities, checked, () => translate(true), format, deadline)
      } finally {
        leave()
      }
    })
  }

  async #runOn(
    entities: readonly Entity[],
    checked: CheckedSql,
    wrapping: () => CheckedSql,
    format: AnswerFormat,
    signal: AbortSignal,
  ): Promise<Answer> {
    const read = entities.filter(({ id }) => checked.entityIds.includes(id))
    const snapshot = await this.#snapshot(read, signal)
    try {
      return await this.#answer(checked, read, snapshot, format, signal)
    } catch (error) {
      if (error instanceof LongOverflow) {
        return await withinRange(this.#answer(wrapping(), read, snapshot, format, signal))
      }
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

  async #snapshot(read: readonly Entity[], signal: AbortSignal): Promise<EngineSnapshot> {
    if (read.length === 0) return { entities: [], isLost: () => false, release: () => undefined }
    return this.#parts.snapshots.snapshot(
      read.map(({ id }) => id),
      signal,
    )
  }

  #answer(
    { text, columns }: CheckedSql,
    read: readonly Entity[],
    snapshot: EngineSnapshot,
    format: AnswerFormat,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { runner, limits } = this.#parts
    const files = new Map(snapshot.entities.map((entity) => [entity.entityId, entity.files]))
    const tables = read.map((entity) => engineTable(entity, files.get(entity.id) ?? []))
    const query = { text, types: columns.map(({ type }) => type), tables }
    const fields = columns.map(({ name, type }): EntityField => ({ name, type, role: 'dimension' }))
    const { resultRows, resultBytes } = limits
    return runner.run({ query, fields, format, limits: { resultRows, resultBytes } }, signal)
  }

  #table(entity: Entity): SqlTable {
    const known = this.#tables.get(entity) ?? sqlTable(entity)
    this.#tables.set(entity, known)
    return known
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

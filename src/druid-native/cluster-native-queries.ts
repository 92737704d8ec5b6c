// One native query on a cluster: checked as on one machine, written again over our data sources, and sent to Druid.

import type { Admission } from '../admission/admission.ts'
import { inTime, timeAllowed } from '../admission/in-time.ts'
import type { Reader } from '../admission/reader.ts'
import type { AnswerSettings } from '../answer/store-rows.ts'
import { storeText } from '../answer/store-text.ts'
import type { UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { Interval } from '../druid-time/iso.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import { systemTimer } from '../lib/timer.ts'
import type { Entity } from '../model/entity.ts'
import { earliestMs, latestMs } from '../model/instant.ts'
import { Problem } from '../model/problem.ts'
import type { NativeBody, NativeQueryLimits } from './native-queries.ts'
import { nativeAdvice, timeoutOf } from './native-timeout.ts'
import { entityNames } from './parse/entity-names.ts'
import type { NativeQuery } from './parse/native-query-types.ts'
import { checkBuckets, checkQuery } from './rewrite/check-query.ts'
import { daysIn, daysQuery } from './rewrite/days-with-rows.ts'
import { druidNative } from './rewrite/druid-native.ts'
import { finished } from './rewrite/finish-answer.ts'
import { tablesOf } from './rewrite/queries-within.ts'
import { RowCount } from './rewrite/row-count.ts'
import { newestWeek } from './rewrite/rows-left.ts'
import type { DayBounds } from './run/native-engine.ts'

/** Runs native queries that our own code wrote; the answer comes in pieces of JSON: a bracket or a comma, and whole elements. */
export interface DruidNatives {
  native(query: object, signal: AbortSignal, queryTimeMs: number): AsyncIterable<string>
}

export interface ClusterNativeQueriesParts {
  readonly definitions: Pick<Definitions, 'entity'>
  readonly engine: DruidNatives
  readonly clusterName: string
  readonly admission: Admission
  readonly limits: NativeQueryLimits
  readonly unsent: UnsentAnswers
  readonly settings: AnswerSettings
}

export class ClusterNativeQueries {
  readonly #parts: ClusterNativeQueriesParts

  constructor(parts: ClusterNativeQueriesParts) {
    this.#parts = parts
  }

  /** As `NativeQueries.run`. */
  async run({ bytes, query }: NativeBody, signal: CancelSignal, reader: Reader): Promise<Answer> {
    const { definitions, engine, clusterName, admission, limits, unsent, settings } = this.#parts
    const entities = entityNames(query).flatMap((name) =>
      reader.mayRead(name) ? (definitions.entity(name) ?? []) : [],
    )
    const { resultBytes, resultRows, buckets } = limits
    const allowed = timeAllowed(timeoutOf(query), limits)
    return inTime({ signal, ...allowed, timer: systemTimer, advice: nativeAdvice }, async ({ signal: deadline }) => {
      const { tree, query: rewritten } = await druidNative(bytes, { entities, clusterName, rowsMax: resultRows })
      await checkQuery(tree, entities, { rowsMax: resultRows, bucketsMax: buckets, bytesMax: resultBytes })
      const leave = await admission.enter('sql', reader.id, deadline)
      try {
        const daysOf = (names: readonly string[], intervals: readonly Interval[]): Promise<readonly DayBounds[]> =>
          this.#daysOf(
            entities.filter(({ name }) => names.includes(name)),
            intervals,
            allowed.queryTimeMs,
            deadline,
          )
        await checkBuckets(tree, daysOf, buckets)
        const count = new RowCount(tree)
        const asked = isOfNewestWeek(tree, entities)
          ? { ...rewritten, intervals: newestWeek(await daysOf(tablesOf(tree.dataSource) ?? [], allTime), entities) }
          : rewritten
        const pieces = this.#counted(engine.native(asked, deadline, allowed.queryTimeMs), tree, entities, count)
        const stored = await storeText(pieces, { resultBytes, room: unsent.room() }, settings, deadline)
        return unsent.open({ ...stored, rows: count.rows })
      } finally {
        leave()
      }
    })
  }

  async #daysOf(
    entities: readonly Entity[],
    intervals: readonly Interval[],
    queryTimeMs: number,
    signal: AbortSignal,
  ): Promise<readonly DayBounds[]> {
    const { engine, clusterName } = this.#parts
    const days: DayBounds[] = []
    for (const entity of entities) {
      let text = ''
      for await (const piece of engine.native(daysQuery(entity, clusterName, intervals), signal, queryTimeMs))
        text += piece
      days.push(...daysIn(text))
    }
    return days
  }

  /** The answer of Druid, which is given up at one row too many. Buckets that Druid fills are bounded by themselves. */
  async *#counted(
    whole: AsyncIterable<string>,
    tree: NativeQuery,
    entities: readonly Entity[],
    count: RowCount,
  ): AsyncGenerator<string> {
    const { resultRows } = this.#parts.limits
    const sinceMs = entities.reduce<number | null>((latest, entity) => entity.sinceMs ?? latest, null)
    const isFilled = tree.kind === 'timeseries' && !tree.context.skipEmptyBuckets
    for await (const piece of finished(whole, tree, { rowsMax: resultRows, sinceMs })) {
      count.add(piece)
      if (!isFilled && count.rows > resultRows) throw tooManyRows(resultRows)
      yield piece
    }
  }
}

const allTime: readonly Interval[] = [{ startMs: earliestMs, endMs: latestMs }]

/** Where rows have left, the newest segment may be of them: which week is the newest is found out first. */
function isOfNewestWeek(tree: NativeQuery, entities: readonly Entity[]): boolean {
  return tree.kind === 'segmentMetadata' && tree.newestWeek && entities.some(({ sinceMs }) => sinceMs !== null)
}

function tooManyRows(rowsMax: number): Problem {
  return new Problem(
    'result_too_large',
    `The answer would have more than ${rowsMax} rows (limits.resultRows). Narrow the intervals, filter, or add a limit.`,
  )
}

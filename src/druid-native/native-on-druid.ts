// Runs a native query on a cluster: validated as on one machine, rewritten for our data sources, and sent to Druid.
import type { Engine, QueryContext, QueryLimits } from '../admission/queries.ts'
import type { AnswerSettings } from '../answer/store-rows.ts'
import { storeText } from '../answer/store-text.ts'
import type { UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Interval } from '../druid-time/iso.ts'
import { dataSourceName, timeColumn } from '../model/druid-row.ts'
import type { Entity } from '../model/entity.ts'
import { earliestMs, formatInstant, latestMs, msPerDay } from '../model/instant.ts'
import type { NativeEngines } from './native-language.ts'
import type { NativeQuery } from './parse/native-query-types.ts'
import { checkBuckets, checkQuery } from './rewrite/check-query.ts'
import { druidNative } from './rewrite/druid-native.ts'
import { newestWeek } from './rewrite/expired-rows.ts'
import { finished } from './rewrite/finish-answer.ts'
import { tablesOf } from './rewrite/queries-within.ts'
import { RowCount } from './rewrite/row-count.ts'
import type { DayBounds } from './run/native-engine.ts'
import { requireRowsOf } from './run/needed-rows.ts'
import { tooManyRows } from './run/session.ts'

/** Runs native queries written by our own code. The response arrives in pieces of JSON, each a bracket or comma and whole elements. */
export interface DruidNatives {
  native(query: object, signal: AbortSignal, queryTimeMs: number): AsyncIterable<string>
}

export interface NativeOnDruidParts {
  readonly engine: DruidNatives
  readonly clusterName: string
  readonly limits: QueryLimits
  readonly unsent: UnsentAnswers
  readonly settings: AnswerSettings
}

export class NativeOnDruid implements NativeEngines {
  readonly #parts: NativeOnDruidParts

  constructor(parts: NativeOnDruidParts) {
    this.#parts = parts
  }

  async of(
    bytes: Uint8Array,
    entities: readonly Entity[],
    { deadline: { signal: deadline }, queryTimeMs }: QueryContext,
  ): Promise<readonly Engine[]> {
    const { engine, clusterName, limits, unsent, settings } = this.#parts
    const { resultBytes, resultRows, buckets } = limits
    requireRowsOf(entities, bytes)
    const { tree, query: rewritten } = await druidNative(bytes, { entities, clusterName, rowsMax: resultRows })
    await checkQuery(tree, entities, { rowsMax: resultRows, bucketsMax: buckets, bytesMax: resultBytes })
    const daysOf = (names: readonly string[], intervals: readonly Interval[]): Promise<readonly DayBounds[]> =>
      this.#daysOf(
        entities.filter(({ name }) => names.includes(name)),
        intervals,
        queryTimeMs,
        deadline,
      )
    const answer: Engine['answer'] = async () => {
      await checkBuckets(tree, daysOf, buckets)
      const count = new RowCount(tree)
      const asked = isOfNewestWeek(tree, entities)
        ? { ...rewritten, intervals: newestWeek(await daysOf(tablesOf(tree.dataSource) ?? [], allTime), entities) }
        : rewritten
      const pieces = this.#counted(engine.native(asked, deadline, queryTimeMs), tree, entities, count)
      const stored = await storeText(pieces, { resultBytes, budget: unsent.budget() }, settings, deadline)
      return unsent.open({ ...stored, rows: count.rows })
    }
    return [{ name: null, answer }]
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

  /** Druid's response, aborted when it exceeds the row limit. Buckets filled by Druid have their own limit. */
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

/** If rows have expired, the newest segment may contain only such rows, so the newest week must be determined first. */
function isOfNewestWeek(tree: NativeQuery, entities: readonly Entity[]): boolean {
  return tree.kind === 'segmentMetadata' && tree.newestWeek && entities.some(({ sinceMs }) => sinceMs !== null)
}

/** A query for the first and last time of each day that the intervals touch. */
function daysQuery(entity: Entity, clusterName: string, intervals: readonly Interval[]): object {
  const first = Math.min(...intervals.map(({ startMs }) => startMs))
  const last = Math.max(...intervals.map(({ endMs }) => endMs))
  const fromMs = Math.max(earliestMs, entity.sinceMs ?? earliestMs, Math.floor(first / msPerDay) * msPerDay)
  const untilMs = Math.min(latestMs, Math.ceil(last / msPerDay) * msPerDay)
  return {
    queryType: 'timeseries',
    dataSource: { type: 'table', name: dataSourceName(clusterName, entity.id) },
    intervals: fromMs < untilMs ? [`${formatInstant(fromMs)}/${formatInstant(untilMs)}`] : [],
    granularity: 'day',
    aggregations: [
      { type: 'longMin', name: 'first', fieldName: timeColumn },
      { type: 'longMax', name: 'last', fieldName: timeColumn },
    ],
    context: { skipEmptyBuckets: true },
  }
}

/** Parses the response of `daysQuery`. */
function daysIn(answer: string): readonly DayBounds[] {
  const buckets: readonly { readonly result: { readonly first: number; readonly last: number } }[] = JSON.parse(answer)
  return buckets.map(({ result: { first, last } }) => ({ minMs: first, maxMs: last }))
}

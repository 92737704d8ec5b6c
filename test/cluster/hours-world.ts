// An entity on a real Druid whose older rows have expired: as it was before, and with hours in their place.
import { setTimeout as sleep } from 'node:timers/promises'
import { UnsentAnswers } from '../../src/answer/unsent-answers.ts'
import type { Answer } from '../../src/answer/whole-answer.ts'
import { DruidClient } from '../../src/druid-client/druid-client.ts'
import { DruidSqlClient } from '../../src/druid-client/druid-sql-client.ts'
import { sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { SqlOnDruid } from '../../src/druid-sql/sql-on-druid.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { bucketsOfPlan } from '../../src/druid-time/plain-granularity.ts'
import { valueAt } from '../../src/model/column.ts'
import type { HiddenByDeletion } from '../../src/model/deletion.ts'
import { dataSourceName, hoursSourceName, positionColumn, timeColumn } from '../../src/model/druid-row.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import type { Plan } from '../../src/model/plan.ts'
import { groupBy } from '../../src/store/druid/druid-query.ts'
import { DruidStore } from '../../src/store/druid/druid-store.ts'
import { BatchTasks } from '../../src/store/druid/hours/batch-tasks.ts'
import type { HourOfSeries } from '../../src/store/druid/hours/hour-lines.ts'
import { hoursOfItems, itemFields } from '../../src/store/druid/hours/hours-of-items.ts'
import { writeHours } from '../../src/store/druid/hours/write-hours.ts'
import { intervalsOf } from '../../src/store/druid/native-query.ts'
import { Management } from '../../src/store/druid/supervision/management.ts'
import { concurrentLocks, rowsAsTheyAre, rowsDimensions } from '../../src/store/druid/supervision/supervisor-spec.ts'
import { tag, time, value } from '../support/selection.ts'
import { addresses } from './addresses.ts'

export const dayMs = 86_400_000
export const hourMs = 3_600_000
/** Rows before this date have expired; those of the days before `madeMs` have hours. */
export const sinceMs = 3 * dayMs
export const madeMs = 2 * dayMs

const line: EntityField = { name: 'L', type: 'string', role: 'tag' }
const long: EntityField = { name: 'N', type: 'long', role: 'metric' }
const quality: EntityField = { name: 'Q', type: 'long', role: 'quality' }
const limits = { resultRows: 100_000, buckets: 10_000, resultBytes: 10_000_000 }

/** A pushed row. Positions from `lateFrom` on are late rows. */
export interface PushedRow {
  readonly ms: number
  readonly position: number
  readonly tags: readonly (string | null)[]
  readonly value: number | null
  readonly long: bigint | null
  readonly quality: number | null
}
export const lateFrom = 1_000_000

const client = new DruidClient({
  queryUrl: addresses.druidBroker,
  managementUrl: addresses.druidOverlord,
  credentials: null,
  ca: null,
  connections: 4,
  managementTimeoutMs: 10_000,
})

export class HoursWorld {
  readonly #clusterName = `k${Date.now().toString(36)}`
  readonly #tasks = new BatchTasks({ management: new Management(client, this.#clusterName), pollEveryMs: 100 })
  #rows = 0
  #hours = 0
  readonly #before: Entity
  readonly #after: Entity

  constructor() {
    const fields = [time, tag, line, value, long, quality]
    const known: Entity = {
      ...{ id: 1, name: 'plant', fields, duplicates: 'keep', ingests: [], retention: null, sinceMs: null },
    }
    const making = {
      untilMs: madeMs,
      pushed: [{ from: 0, before: lateFrom }],
      deletionId: 4,
      startedMs: 0,
      rows: null,
      isRemoving: false,
    }
    const hours = { retention: null, sinceMs: null, made: { goneMs: 0, madeMs, making } }
    this.#before = known
    this.#after = { ...known, retention: 'P1D', sinceMs, hours }
  }

  async open(rows: readonly PushedRow[]): Promise<void> {
    const entity = this.#before
    const dataSource = dataSourceName(this.#clusterName, entity.id)
    const signal = AbortSignal.timeout(100_000)
    const text = rows.map(lineOf).join('\n')
    await this.#tasks.once(`${dataSource}_rows`, () => appendRows(dataSource, entity, text), signal)
    const made = this.#after.hours!.made!
    const items = rows
      .filter(({ ms, position }) => ms < madeMs && position < lateFrom)
      .toSorted((left, right) => left.ms - right.ms || left.position - right.position)
      .map((row) => [row.ms, ...row.tags, row.quality, row.value, row.long?.toString() ?? null, row.position])
    await writeHours(
      { entity, madeMs: 0, making: made.making!, hours: this.#counted(hoursOfItems(once(items), itemFields(entity))) },
      {
        tasks: this.#tasks,
        clusterName: this.#clusterName,
        chunkBytes: 8_000_000,
        stillDue: async () => undefined,
        signal,
      },
    )
    await this.#tasks.served(dataSource, 0, 5 * dayMs, signal)
    this.#rows = rows.length
    // Druid's servers have new data before its broker knows of it.
    while (!(await this.#isSeen())) await sleep(200, undefined, { signal })
  }

  async *#counted(hours: AsyncIterable<HourOfSeries>): AsyncGenerator<HourOfSeries> {
    for await (const hour of hours) {
      this.#hours++
      yield hour
    }
  }

  async #isSeen(): Promise<boolean> {
    const sources = [dataSourceName(this.#clusterName, 1), hoursSourceName(this.#clusterName, 1)]
    const [rows, hours] = await Promise.all(sources.map(countIn))
    return rows === this.#rows && hours === this.#hours
  }

  /** The entity while all rows existed, or with hours in place of expired rows. */
  seen(when: 'before' | 'after', hidden: readonly HiddenByDeletion[] = []): Seen {
    return new Seen({ ...(when === 'before' ? this.#before : this.#after), hidden }, this.#clusterName)
  }

  close(): void {
    client.close()
  }
}

export class Seen {
  readonly entity: Entity
  readonly store: DruidStore
  readonly #sql: SqlOnDruid

  constructor(entity: Entity, clusterName: string) {
    this.entity = entity
    const settings = { clusterName, queryTimeMs: 20_000, sliceMs: 5, readRows: 10_000_000 }
    this.store = new DruidStore({ client, settings, entity: () => entity, nowMs: Date.now })
    this.#sql = new SqlOnDruid({
      ...{ store: this.store, nowMs: Date.now, clusterName },
      engine: new DruidSqlClient({ client, settings, nowMs: Date.now }),
      metadata: {
        items: { inOneState: () => Promise.reject(new Error('no metadata is read')) },
        limits: { metadataRows: 0, metadataBytes: 0 },
      },
      limits: { ...limits, queryTimeMs: 20_000, sqlTokens: 10_000 },
      unsent: new UnsentAnswers({ answerMemoryBytes: 1_000_000, memoryBytes: 10_000_000, fileBytes: 1 }),
      settings: { sliceMs: 5, spoolDirectory: '/nowhere' },
    })
  }

  /** The rows of the answer. */
  async answer(plan: Plan): Promise<unknown[][]> {
    const rows: unknown[][] = []
    const { signal } = new AbortController()
    for await (const batch of this.store.run(plan, limits, signal, bucketsOfPlan(plan)))
      for (let row = 0; row < batch.rows; row++) rows.push(batch.columns.map((column) => valueAt(column, row)))
    return rows
  }

  /** The rows of the answer, parsed from JSON. */
  async sql(text: string): Promise<unknown[]> {
    const tables = [sqlTable(this.entity)]
    const readable = { entities: [this.entity], metadataEntities: [], tables }
    const query = { question: { text }, checked: translateSql(text, tables), readable, entities: [this.entity] }
    const answer = await this.#sql.answer({ ...query, format: 'json' }, AbortSignal.timeout(20_000))
    return JSON.parse(await textOf(answer)) as unknown[]
  }
}

/** The body as text, in which longs keep all their digits. */
async function textOf({ chunks }: Answer): Promise<string> {
  const bytes: Uint8Array[] = []
  for await (const chunk of chunks) bytes.push(Uint8Array.from(chunk))
  return Buffer.concat(bytes).toString()
}

async function countIn(dataSource: string): Promise<number> {
  const target = { client, dataSource, hidden: [], timeoutMs: 20_000, signal: AbortSignal.timeout(20_000) }
  const aggregations = [{ type: 'count', name: ':rows' }]
  const query = { intervals: intervalsOf(0, 5 * dayMs), filter: null, virtualColumns: [], dimensions: [], limit: null }
  for await (const [row] of groupBy(target, { ...query, aggregations }, [])) return Number(row?.[0])
  return 0
}

async function* once<One>(one: One): AsyncGenerator<One> {
  yield one
}

function lineOf({ ms, position, tags: [t, l], value: v, long: n, quality: q }: PushedRow): string {
  const others = JSON.stringify({ [positionColumn]: position, T: t, L: l, V: v, Q: q })
  return `{"${timeColumn}":${ms},"N":${n},${others.slice(1)}`
}

function appendRows(dataSource: string, entity: Entity, data: string) {
  const ioConfig = { type: 'index_parallel', inputSource: { type: 'inline', data }, inputFormat: { type: 'json' } }
  return {
    type: 'index_parallel',
    spec: {
      dataSchema: { dataSource, ...rowsAsTheyAre, dimensionsSpec: rowsDimensions(entity) },
      ioConfig: { ...ioConfig, appendToExisting: true },
      tuningConfig: { type: 'index_parallel', maxParseExceptions: 0 },
    },
    context: concurrentLocks,
  } as const
}

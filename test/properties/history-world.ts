// Where a random history takes place: in one process of plain parts, or in a whole service over HTTP, with either engine.
import type { EntityField } from '../../src/model/entity.ts'
import type { Field } from '../../src/model/field.ts'
import type { Duplicates, IngestCounters } from '../../src/model/ingest.ts'
import type { EntityStatistics } from '../../src/store/series-store.ts'
import type { Question } from '../support/random-queries.ts'

/** Both feed the one entity of the world. */
export type IngestName = 'first' | 'second'

export type TextFormat = 'json' | 'ndjson' | 'csv'

export interface Definition {
  readonly duplicates: Duplicates
  readonly fields: Readonly<Record<IngestName, readonly Field[]>>
}

export interface RandomPush {
  readonly ingest: IngestName
  readonly format: 'json' | 'ndjson'
  /** Each row as JSON. */
  readonly rows: readonly string[]
}

export function bodyOfPush({ format, rows }: RandomPush): string {
  return format === 'json' ? `[${rows.join(',')}]` : rows.join('\n')
}

/** A row by its push, counted from 0 in the world, and its place in it. */
export interface RowPlace {
  readonly push: number
  readonly index: number
}

export interface Retention {
  readonly period: string
  /** What it means: items before this date leave. */
  readonly sinceMs: number
}

export type Counters = Readonly<Record<IngestName, IngestCounters>>

/** Each call begins when the one before is over, and holds when it resolves. */
export interface HistoryWorld {
  /** Whether a mean has the same digits each time it is asked for. */
  readonly hasExactMeans: boolean
  define(definition: Definition): Promise<void>
  /** Gives the first ingest more fields. */
  addFields(fields: readonly Field[]): Promise<void>
  /** Answers the indexes of the rows that were rejected, all of them when there are few. */
  push(push: RandomPush): Promise<readonly number[]>
  /** Has rows of the first ingest validated again, whether or not they are rejected still, and answers how many were stored by it. */
  replay(rows: readonly RowPlace[]): Promise<number>
  retain(retention: Retention): Promise<void>
  /** Lets items stay for ever from now on; those that have left do not come back. Null where that cannot be. */
  readonly lift: (() => Promise<void>) | null
  ask(question: Question, format: TextFormat): Promise<string>
  fields(): Promise<readonly EntityField[]>
  /** As the list of entities has them: soon after a push. */
  statistics(expected: EntityStatistics): Promise<EntityStatistics>
  counters(): Promise<Counters>
}

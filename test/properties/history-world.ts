// The environment of a random history: one process of plain parts, or a whole service over HTTP, with either engine.
import type { EntityField } from '../../src/model/entity.ts'
import type { Field } from '../../src/model/field.ts'
import type { Duplicates, IngestCounters } from '../../src/model/ingest.ts'
import type { EntityStatistics } from '../../src/store/series-store.ts'
import type { Question } from '../support/random-queries.ts'

/** Both ingests feed the only entity of the world. */
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

/** A row by its push, counted from 0 in the world, and its index in the push. */
export interface RowPlace {
  readonly push: number
  readonly index: number
}

export interface Retention {
  readonly period: string
  /** The start of the retained period: items before this date expire. */
  readonly sinceMs: number
}

export type Counters = Readonly<Record<IngestName, IngestCounters>>

/** Each call starts after the one before has ended, and has taken effect when it resolves. */
export interface HistoryWorld {
  /** Whether a mean has the same digits in each query. */
  readonly hasExactMeans: boolean
  define(definition: Definition): Promise<void>
  /** Adds fields to the first ingest. */
  addFields(fields: readonly Field[]): Promise<void>
  /** Resolves with the indexes of the rejected rows, as far as a receipt lists them. */
  push(push: RandomPush): Promise<readonly number[]>
  /** Validates rows of the first ingest again, whether or not they are still rejected; resolves with the number of rows it stored. */
  replay(rows: readonly RowPlace[]): Promise<number>
  retain(retention: Retention): Promise<void>
  /** Keeps items forever from now on; expired ones do not come back. Null where this is impossible. */
  readonly lift: (() => Promise<void>) | null
  ask(question: Question, format: TextFormat): Promise<string>
  fields(): Promise<readonly EntityField[]>
  /** The statistics in the list of entities, which shows a push a little later. */
  statistics(expected: EntityStatistics): Promise<EntityStatistics>
  counters(): Promise<Counters>
}

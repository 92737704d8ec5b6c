// A query in SQL: its text, the values of its parameters, and its options.
import { Zone } from '../druid-time/zone.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { DruidLayout, TypedDruidLayout } from '../model/druid-layout.ts'
import { invalidRequest } from '../model/problem.ts'
import type { SqlValue } from './parse/sql-value.ts'
import type { CheckedColumn } from './translate.ts'

export interface SqlQuery {
  readonly text: string
  /** The values of its `?`, in order. */
  readonly parameters?: readonly SqlValue[] | undefined
  /** The zone of its times: time texts, buckets, parts. UTC if left out. */
  readonly zone?: Zone | undefined
  /** Whether INFORMATION_SCHEMA.ROUTINES may be read, as tools for Druid do. */
  readonly listsFunctions?: boolean | undefined
  /** Whether `EXPLAIN PLAN FOR` is accepted, which such tools also send. */
  readonly explains?: boolean | undefined
  /** The query's own time limit. The limit of the service also applies. */
  readonly timeoutMs?: number | undefined
}

/** The format of the answer, completed with the types of its columns. */
export function formatOf(
  format: AnswerFormat | DruidLayout,
  columns: readonly CheckedColumn[],
  { zone = Zone.utc }: Pick<SqlQuery, 'zone'>,
): AnswerFormat | TypedDruidLayout {
  return typeof format === 'string' ? format : { types: columns.map(({ druid }) => druid), zone: zone.name, ...format }
}

/** The zone of `sqlTimeZone`. Throws Problem `invalid_request` for an unknown name. */
export function readSqlZone(name: string, path: string): Zone {
  const zone = Zone.find(name)
  if (zone !== null) return zone
  throw invalidRequest(path, 'is not a time zone: write one as "Europe/Madrid" or "+02:00"')
}

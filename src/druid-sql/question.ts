// What is asked in SQL: a text, the values of its parameters, and how it is meant.
import { Zone } from '../druid-time/zone.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { DruidLayout, TypedDruidLayout } from '../model/druid-layout.ts'
import { invalidRequest } from '../model/problem.ts'
import type { SqlValue } from './parse/sql-value.ts'
import type { CheckedColumn } from './translate.ts'

export interface SqlQuestion {
  readonly text: string
  /** The values of its `?`, in order. */
  readonly parameters?: readonly SqlValue[] | undefined
  /** By whose clocks it means its times: texts of times, buckets, parts. UTC where it is left out. */
  readonly zone?: Zone | undefined
  /** Whether INFORMATION_SCHEMA.ROUTINES may be read: tools that speak to Druid look there. */
  readonly listsFunctions?: boolean | undefined
  /** Whether `EXPLAIN PLAN FOR` is taken: such tools ask that too. */
  readonly explains?: boolean | undefined
  /** How long it may take; the limit of the service holds too. */
  readonly timeoutMs?: number | undefined
}

/** The format of the answer, whose columns are known now. */
export function formatOf(
  format: AnswerFormat | DruidLayout,
  columns: readonly CheckedColumn[],
  { zone = Zone.utc }: Pick<SqlQuestion, 'zone'>,
): AnswerFormat | TypedDruidLayout {
  return typeof format === 'string' ? format : { types: columns.map(({ druid }) => druid), zone: zone.name, ...format }
}

/** The zone of `sqlTimeZone`. Throws Problem `invalid_request` where there is none of that name. */
export function readSqlZone(name: string, path: string): Zone {
  const zone = Zone.find(name)
  if (zone !== null) return zone
  throw invalidRequest(path, 'is no time zone: write one as "Europe/Madrid" or "+02:00"')
}

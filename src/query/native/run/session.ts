import { type Sql, sql } from '../../../lib/sql-text.ts'
import { invalidRequest, Problem } from '../../../model/problem.ts'
import type { Relation } from '../compile/relation.ts'
import { Source } from '../compile/source.ts'
import type { EngineValue, NativeEngine, NativeLimits } from '../native-engine.ts'
import { wideRange } from '../sql/time.ts'
import type { ColumnType, Typed } from '../sql/typed.ts'
import type { Interval } from '../time/iso.ts'
import { formatTimestamp } from '../time/iso.ts'
import { Zone } from '../time/zone.ts'
import type { VirtualColumn } from '../tree/nodes.ts'
import type { NativeQuery } from '../tree/queries.ts'
import { spans } from './buckets.ts'
import type { JsonValue } from './json-text.ts'

/** A column of a result and where it is in the row. */
export interface OutputColumn {
  readonly name: string
  readonly type: ColumnType | null
}

/** What the runners of the query types work with. */
export class Session {
  readonly engine: NativeEngine
  readonly limits: NativeLimits

  constructor(engine: NativeEngine, limits: NativeLimits) {
    this.engine = engine
    this.limits = limits
  }

  /** The rows of a statement; more than the limit are refused, never cut. */
  async rows(statement: Sql): Promise<readonly (readonly EngineValue[])[]> {
    const { rowsMax } = this.limits
    const rows = await this.engine.run(sql`SELECT * FROM (${statement}) AS o LIMIT ${sql.long(rowsMax + 1)}`)
    if (rows.length <= rowsMax) return rows
    throw new Problem(
      'result_too_large',
      `the answer would have more than ${rowsMax} rows (limits.resultRows): narrow the intervals, filter, or add a limit`,
    )
  }
}

/** The source of a query, with the range that its times lie in. */
export function sourceOf(
  relation: Relation,
  virtualColumns: readonly VirtualColumn[],
  intervals: readonly Interval[],
): Source {
  const found = spans(relation, intervals)
  const last = found.reduce((most, { maxMs }) => Math.max(most, maxMs), Number.NEGATIVE_INFINITY)
  const range =
    found.length === 0
      ? wideRange
      : {
          fromMs: clip(found[0]!.minMs, relation.segments !== null),
          untilMs: clip(last + 1, relation.segments !== null),
        }
  return new Source(relation, virtualColumns, intervals, range)
}

/** What is known of rows may lie anywhere; intervals alone are taken as far as zones are read. */
const clip = (ms: number, ofRows: boolean): number =>
  ofRows ? ms : Math.max(wideRange.fromMs, Math.min(wideRange.untilMs, ms))

/** How a query's timestamps are written. */
export function timestampWriter(query: NativeQuery): (ms: number) => JsonValue {
  if (query.context.timesAsLong) return (ms) => BigInt(ms)
  const zone = 'granularity' in query && query.granularity.kind !== 'all' ? query.granularity.zone : Zone.utc
  return (ms) => formatTimestamp(ms, zone)
}

export function outputValue(value: EngineValue | undefined, type: ColumnType | null): JsonValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'object') return value.map((item) => outputValue(item, type))
  if (type === 'LONG') return typeof value === 'number' ? BigInt(value) : value
  return typeof value === 'bigint' ? Number(value) : value
}

export function outputObject(
  row: readonly EngineValue[],
  columns: readonly OutputColumn[],
  from: number,
): { [name: string]: JsonValue } {
  const made: { [name: string]: JsonValue } = {}
  columns.forEach(({ name, type }, index) => {
    Object.defineProperty(made, name, { value: outputValue(row[from + index], type), enumerable: true })
  })
  return made
}

/** A list of values as o0, o1 and so on. */
export const outputs = (values: readonly Typed[]): readonly Sql[] =>
  values.map(({ sql: value }, index) => sql`${value} AS ${sql.id(`o${index}`)}`)

export function msOf(value: EngineValue | undefined): number {
  if (typeof value !== 'bigint') throw new Error('a time is no BIGINT')
  return Number(value)
}

/** What the engine says of a value it cannot work with is the query's fault; anything else is the service's. */
export function asProblem(error: unknown): unknown {
  const message = error instanceof Error ? error.message : ''
  const match = /^(?:Invalid Input|Conversion|Out of Range) Error: ([^\n]*)/.exec(message)
  return match === null ? error : invalidRequest('', match[1]!)
}

import { isFree, limitedOutput, widthOf } from '../../druid-sql/functions/text-limits.ts'
import { wideRange } from '../../druid-time/bucket-sql.ts'
import type { Interval } from '../../druid-time/iso.ts'
import { formatTimestamp } from '../../druid-time/iso.ts'
import { Zone } from '../../druid-time/zone.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { invalidRequest, Problem } from '../../model/problem.ts'
import { EngineRefusal, type EngineRow, type EngineValue, LongOverflow } from '../../sql-engine/sql-engine.ts'
import type { Relation } from '../compile/relation.ts'
import { Source } from '../compile/source-rows.ts'
import type { NativeQuery } from '../parse/native-query-types.ts'
import type { VirtualColumn } from '../parse/query-nodes.ts'
import { nodeOf, type Typed } from '../values/typed.ts'
import { spans } from './filled-buckets.ts'
import type { JsonValue } from './json-text.ts'
import type { NativeEngine, NativeLimits } from './native-engine.ts'

/** The context shared by the runners of all query types. */
export class Session {
  readonly engine: NativeEngine
  readonly limits: NativeLimits

  constructor(engine: NativeEngine, limits: NativeLimits) {
    this.engine = engine
    this.limits = limits
  }

  /** Streams the rows of a statement; throws if there are more than the limit, never truncates. */
  async *stream(statement: Sql): AsyncGenerator<readonly EngineRow[]> {
    const { rowsMax } = this.limits
    let rows = 0
    for await (const part of this.engine.run(sql`SELECT * FROM (${statement}) AS o LIMIT ${sql.long(rowsMax + 1)}`)) {
      rows += part.length
      if (rows > rowsMax) throw tooManyRows(rowsMax)
      yield part
    }
  }

  /** As `stream`, but collects all rows, which may not exceed the memory limit of a result. */
  async rows(statement: Sql): Promise<readonly EngineRow[]> {
    const { bytesMax } = this.limits
    const rows: EngineRow[] = []
    let bytes = 0
    for await (const part of this.stream(statement)) {
      for (const row of part) {
        bytes += row.reduce<number>((sum, value) => sum + sizeOf(value), 0)
        if (bytes > bytesMax) throw tooLarge(`more than ${bytesMax} bytes (limits.resultBytes)`)
        rows.push(row)
      }
    }
    return rows
  }
}

const sizeOf = (value: EngineValue): number => {
  if (typeof value === 'string') return value.length + 8
  return typeof value === 'object' && value !== null ? value.reduce<number>((sum, item) => sum + sizeOf(item), 8) : 8
}

export const tooManyRows = (rowsMax: number): Problem => tooLarge(`more than ${rowsMax} rows (limits.resultRows)`)

function tooLarge(what: string): Problem {
  return new Problem('result_too_large', `The answer would have ${what}. Narrow the intervals, filter, or add a limit.`)
}

/** The source of a query, with the range of its times. */
export function sourceOf(
  relation: Relation,
  virtualColumns: readonly VirtualColumn[],
  intervals: readonly Interval[],
): Source {
  const found = spans(relation, intervals)
  const last = found.reduce((most, { maxMs }) => Math.max(most, maxMs), Number.NEGATIVE_INFINITY)
  const ofRows = relation.segments !== null
  const [first] = found
  const range = first === undefined ? wideRange : { fromMs: clip(first.minMs, ofRows), untilMs: clip(last + 1, ofRows) }
  return new Source(relation, virtualColumns, intervals, range)
}

/** Bounds of rows may be any time. Bounds from intervals alone are clipped to the range for which zone rules are compiled. */
const clip = (ms: number, ofRows: boolean): number =>
  ofRows ? ms : Math.max(wideRange.fromMs, Math.min(wideRange.untilMs, ms))

/** The query's format for timestamps. */
export function timestampWriter(query: NativeQuery): (ms: number) => JsonValue {
  if (query.context.timesAsLong) return (ms) => BigInt(ms)
  const zone = 'granularity' in query && query.granularity.kind !== 'all' ? query.granularity.zone : Zone.utc
  return (ms) => formatTimestamp(ms, zone)
}

/** An output value. Texts are charged to the size limit, because they are copied for each row. */
export const answered = (value: Typed): Sql =>
  value.type !== 'STRING' || isFree(widthOf(nodeOf(value).type)) ? value.sql : bind(value.sql, limitedOutput)

/** Output values named o0, o1 and so on. */
export const outputs = (values: readonly Typed[]): readonly Sql[] =>
  values.map((value, index) => sql`${answered(value)} AS ${sql.id(`o${index}`)}`)

export function msOf(value: EngineValue | undefined): number {
  if (typeof value !== 'bigint') throw new Error('a time is no BIGINT')
  return Number(value)
}

/** Converts engine refusals, and statements nested too deeply to be written, to request errors. Other errors are the service's and pass through. */
export function refusalProblem(error: unknown): unknown {
  if (error instanceof RangeError) return tooInvolved()
  if (error instanceof LongOverflow) return invalidRequest('', 'a number or a time is beyond its range')
  if (!(error instanceof EngineRefusal)) return error
  return error.cause === undefined ? invalidRequest('', error.message) : tooInvolved(error.cause)
}

function tooInvolved(cause?: Error): Problem {
  const message = 'the query is too complex to run: use shorter expressions and less nesting'
  return new Problem('unsupported_native_query', message, { errors: [{ path: '', message }], cause })
}

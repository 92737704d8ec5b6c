import { msPerDay } from '../../model/instant.ts'
import type { Range } from '../../model/plan.ts'
import { bucketSlices } from './bucket-columns.ts'
import { groupBy, type QueryTarget } from './druid-query.ts'
import { intervalsOf, type NativeFilter } from './native-query.ts'

/** Rows are counted by day; a day with too many is counted by hour, and so on. */
const widthsMs = [msPerDay, 3_600_000, 60_000, 1000, 1]

/** A window and the number of its rows. */
export interface Counted extends Range {
  readonly rows: number
}

/** Ascending windows that together contain all rows of the range, at most about `rowsMax` each. All rows of one date are in one window. */
export async function rowWindows(
  target: QueryTarget,
  range: Range,
  filter: NativeFilter | null,
  rowsMax: number,
): Promise<Counted[]> {
  const windows: Counted[] = []
  for (const part of await parts(target, range, filter, rowsMax, 0)) {
    const last = windows.at(-1)
    if (last !== undefined && last.rows + part.rows <= rowsMax) {
      windows[windows.length - 1] = { fromMs: last.fromMs, toMs: part.toMs, rows: last.rows + part.rows }
    } else windows.push(part)
  }
  return windows
}

async function parts(
  target: QueryTarget,
  range: Range,
  filter: NativeFilter | null,
  rowsMax: number,
  level: number,
): Promise<Counted[]> {
  const widthMs = widthsMs[level]
  const counted = await countBy(target, range, filter, widthMs)
  const found: Counted[] = []
  for (const part of counted) {
    if (part.rows <= rowsMax || level + 1 === widthsMs.length) found.push(part)
    else for (const smaller of await parts(target, part, filter, rowsMax, level + 1)) found.push(smaller)
  }
  return found
}

async function countBy(
  target: QueryTarget,
  { fromMs, toMs }: Range,
  filter: NativeFilter | null,
  widthMs: number,
): Promise<Counted[]> {
  const [{ expression }] = bucketSlices({ kind: 'uniform', widthMs, originMs: 0 }, fromMs, toMs)
  const query = {
    intervals: intervalsOf(fromMs, toMs),
    filter,
    virtualColumns: [{ type: 'expression', name: ':window', expression, outputType: 'LONG' } as const],
    dimensions: [{ type: 'default', dimension: ':window', outputName: ':w', outputType: 'LONG' } as const],
    aggregations: [{ type: 'count', name: ':rows' }],
    limit: null,
  }
  const found: Counted[] = []
  for await (const rows of groupBy(target, query, [])) {
    for (const [startMs, count] of rows) {
      const start = Number(startMs)
      found.push({ fromMs: Math.max(fromMs, start), toMs: Math.min(toMs, start + widthMs - 1), rows: Number(count) })
    }
  }
  return found.sort((left, right) => left.fromMs - right.fromMs)
}

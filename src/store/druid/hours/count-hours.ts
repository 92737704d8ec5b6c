// Counts the hours of expired rows that a deletion selects, each once, as one row. A late row counts with the hour that it was added to.
import { hiddenFilter } from '../../../algebra/hidden-in-druid.ts'
import type { DeletionSelection, HiddenByDeletion } from '../../../model/deletion.ts'
import type { Range } from '../../../model/plan.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import { bucketSlices } from '../bucket-columns.ts'
import { groupBy, oneRow, type QueryTarget } from '../druid-query.ts'
import { allOf, anyOf, intervalsOf, isNull, type NativeColumn, type NativeFilter, not } from '../native-query.ts'
import { tagFilter } from '../selection-filter.ts'
import { hidingHours, type KeptHours } from './kept-hours.ts'

/** Counts the visible hours of a selection from `selectedHours`, in which the date of an hour is its start. */
export async function countHours(kept: KeptHours, selection: DeletionSelection): Promise<number> {
  const { sinceMs, madeMs, untilMs } = kept
  const fromMs = Math.max(selection.fromMs ?? Number.NEGATIVE_INFINITY, sinceMs)
  const toMs = selection.toMs ?? Number.POSITIVE_INFINITY
  const made = { fromMs, toMs: Math.min(toMs, madeMs - 1) }
  const ofRows = { fromMs: Math.max(fromMs, madeMs), toMs: Math.min(toMs + hourMs - 1, untilMs - 1) }
  const ofTags = tagFilter({ ...selection, tags: [{ name: selection.tag, type: 'string', role: 'tag' }] })
  const withValue = (suffix: string): NativeFilter | null =>
    selection.metrics && anyOf(selection.metrics.map(({ name }) => not(isNull(`${name}${suffix}`))))
  const hours = await count(kept.hours, made, allOf([ofTags, withValue('@count')]))
  return hours + (await countHoursOfRows(kept, ofRows, allOf([ofTags, withValue('')])))
}

/** Whether a deletion hides anything kept of expired rows. */
export async function hidesHours(kept: KeptHours, hidden: HiddenByDeletion): Promise<boolean> {
  const { sinceMs, madeMs, untilMs } = kept
  const made = { fromMs: sinceMs, toMs: madeMs - 1 }
  for (const one of hidingHours(hidden))
    if ((await count({ ...kept.hours, hidden: [] }, made, hiddenFilter(one))) > 0) return true
  const ofRows = { fromMs: sinceMs, toMs: untilMs - 1 }
  return (await count({ ...kept.rows, hidden: [] }, ofRows, hiddenFilter(hidden))) > 0
}

async function count(target: QueryTarget, { fromMs, toMs }: Range, filter: NativeFilter | null): Promise<number> {
  const [rows] = await oneRow(target, intervalsOf(fromMs, toMs), filter, [{ type: 'count', name: ':rows' }])
  return Number(rows ?? 0)
}

async function countHoursOfRows({ rows, tags }: KeptHours, range: Range, filter: NativeFilter | null): Promise<number> {
  const { fromMs, toMs } = range
  if (fromMs > toMs) return 0
  const [{ expression }] = bucketSlices({ kind: 'uniform', widthMs: hourMs, originMs: 0 }, fromMs, toMs)
  const hour: NativeColumn = { type: 'expression', name: ':hour', expression, outputType: 'LONG' }
  const query = {
    ...{ intervals: intervalsOf(fromMs, toMs), filter, virtualColumns: [hour], aggregations: [], limit: null },
    dimensions: [
      { type: 'default', dimension: ':hour', outputName: ':h', outputType: 'LONG' } as const,
      ...tags.map((name, index) => {
        return { type: 'default', dimension: name, outputName: `:k${index}`, outputType: 'STRING' } as const
      }),
    ],
  }
  let hours = 0
  for await (const groups of groupBy(rows, query, [])) hours += groups.length
  return hours
}

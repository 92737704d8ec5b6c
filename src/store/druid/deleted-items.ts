// The rows and items of an entity that a deletion selects.
import { hiddenFilter } from '../../algebra/hidden-in-druid.ts'
import { isMetByValues } from '../../lib/comparison-operator.ts'
import type { Pacer } from '../../lib/pacer.ts'
import type { DeletionSelection, HiddenItems, HiddenRows } from '../../model/deletion.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Range, Selection } from '../../model/plan.ts'
import { invalidRequest } from '../../model/problem.ts'
import { groupBy, type QueryTarget } from './druid-query.ts'
import { valueRead } from './druid-value.ts'
import { intervalsOf } from './native-query.ts'
import { countReplaced, replacedItems } from './replaced-items.ts'
import { selectionFilter, tagFilter } from './selection-filter.ts'

export interface DeletionRun {
  readonly target: QueryTarget
  readonly pacer: Pacer
  /** See `DruidRun.replacedBy`. */
  readonly tags: readonly EntityField[] | null
  readonly time: EntityField
  /** Rows of the entity before this date have expired; null if there is no such date. */
  readonly sinceMs: number | null
}

/**
 * The number of visible rows of a selection; with metrics, of those in which one of the metrics is not null. Where newer rows replace older ones, the
 * number of items.
 */
export async function countSelected(selection: DeletionSelection, run: DeletionRun): Promise<number> {
  const { target, tags } = run
  const range = rangeOf(selection, run)
  const metrics = (selection.metrics ?? []).map((metric): EntityField => ({ ...metric, role: 'metric' }))
  const selected = selectionOf(selection, metrics, run)
  if (tags === null) {
    const filter = metrics.length === 0 ? tagFilter(selected) : selectionFilter(selected)
    const counting = {
      virtualColumns: [],
      dimensions: [],
      aggregations: [{ type: 'count', name: ':rows' }],
      limit: null,
    }
    const query = { intervals: intervalsOf(range.fromMs, range.toMs), filter, ...counting }
    for await (const rows of groupBy(target, query, [])) for (const [count] of rows) return Number(count)
    return 0
  }
  if (metrics.length === 0) return (await countReplaced(target, range, tags, tagFilter(selected))).rows
  let count = 0
  const query = { selection: selected, ranges: [range], filter: null, limit: null }
  for await (const rows of replacedItems(query, tags, run)) count += rows.length
  return count
}

/** Throws Problem `invalid_request` for more than `itemsMax` items. */
export async function itemsMeeting(
  { selection, pushed }: Omit<HiddenRows, 'items'>,
  tags: readonly EntityField[],
  run: DeletionRun,
  itemsMax: number,
): Promise<readonly HiddenItems[]> {
  const { where } = selection
  if (where === null) throw new Error('a deletion without a condition judges no items')
  const { name, type } = where.metric
  const operator = where.operator === '!=' ? '<>' : where.operator
  const [first, ...others] = tags
  const all = { ...selectionOf(selection, [{ name, type, role: 'metric' }], run), ids: null, prefixes: null }
  const selected: Selection = { ...all, tags: [first!, ...others] }
  const filter = hiddenFilter({ selection: { ...selection, where: null }, pushed, items: null })
  const query = { selection: selected, ranges: [rangeOf(selection, run)], filter, limit: null }
  const found = new Map<string, { readonly tags: HiddenItems['tags']; readonly times: number[] }>()
  let count = 0
  for await (const rows of replacedItems(query, tags, run)) {
    for (const row of rows) {
      const value = valueRead(row[1 + tags.length], type)
      if (value === null || !isMetByValues(operator, value, where.value)) continue
      if (++count > itemsMax) throw tooManyItems(itemsMax)
      const values = row
        .slice(1, 1 + tags.length)
        .map((tag) => (tag === null || tag === undefined ? null : String(tag)))
      const key = JSON.stringify(values)
      const known = found.get(key) ?? {
        tags: Object.fromEntries(tags.map((tag, at) => [tag.name, values[at]!])),
        times: [],
      }
      known.times.push(Number(row[0]))
      found.set(key, known)
    }
  }
  for (const { times } of found.values()) times.sort((left, right) => left - right)
  return [...found.values()]
}

function selectionOf(
  { tag, ids, prefixes }: DeletionSelection,
  metrics: readonly EntityField[],
  { time, sinceMs }: DeletionRun,
): Selection {
  // The data source identifies the rows, so the entity id is not used.
  return {
    entityId: 0,
    sinceMs,
    time,
    tags: [{ name: tag, type: 'string', role: 'tag' }],
    ids,
    prefixes,
    metrics,
    fields: [],
  }
}

function rangeOf({ fromMs, toMs }: DeletionSelection, { sinceMs }: DeletionRun): Range {
  const since = sinceMs ?? Number.NEGATIVE_INFINITY
  return { fromMs: Math.max(since, fromMs ?? Number.NEGATIVE_INFINITY), toMs: toMs ?? Number.POSITIVE_INFINITY }
}

function tooManyItems(itemsMax: number): Error {
  return invalidRequest(
    'where',
    `more than ${itemsMax.toLocaleString('en-US')} items match it, and a deletion on a cluster records each of them where newer rows replace older ones. Select fewer tags or a shorter time`,
  )
}

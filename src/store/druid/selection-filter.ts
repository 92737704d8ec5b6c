import type { EntityField } from '../../model/entity.ts'
import type { Selection } from '../../model/plan.ts'
import { allOf, anyOf, isNull, isOneOf, type NativeFilter, not } from './native-query.ts'

/** Tags that pass `ids` and `prefixes`. */
export function tagFilter({ tags: [tag], ids, prefixes }: Selection): NativeFilter | null {
  return allOf([
    ids === null ? null : isOneOf(tag.name, ids),
    prefixes === null ? null : anyOf(prefixes.map((prefix) => beginsWith(tag.name, prefix))),
  ])
}

/** An item is a row in which at least one of the metrics is not null. */
function itemFilter(metrics: readonly EntityField[]): NativeFilter {
  return anyOf(metrics.map(({ name }) => not(isNull(name))))
}

/** The items of a selection. */
export function selectionFilter(selection: Selection): NativeFilter | null {
  return allOf([tagFilter(selection), itemFilter(selection.metrics)])
}

function beginsWith(dimension: string, prefix: string): NativeFilter {
  return { type: 'like', dimension, pattern: `${prefix.replace(/[\\%_]/g, '\\$&')}%`, escape: '\\' }
}

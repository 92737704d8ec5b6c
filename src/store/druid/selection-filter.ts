import { druidExpression, type NameOf } from '../../algebra/druid-expression.ts'
import { qualityCondition } from '../../algebra/quality-condition.ts'
import { prefixPattern } from '../../lib/like-matcher.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Selection } from '../../model/plan.ts'
import { allOf, anyOf, isNull, isOneOf, type NativeFilter, not } from './native-query.ts'

/** Filter for tags that match `ids` and `prefixes`. */
export function tagFilter({
  tags: [tag],
  ids,
  prefixes,
}: Pick<Selection, 'tags' | 'ids' | 'prefixes'>): NativeFilter | null {
  return allOf([
    ids === null ? null : isOneOf(tag.name, ids),
    prefixes === null ? null : anyOf(prefixes.map((prefix) => beginsWith(tag.name, prefix))),
  ])
}

/** An item is a row in which at least one of the metrics is not null. */
function itemFilter(metrics: readonly EntityField[]): NativeFilter {
  return anyOf(metrics.map(({ name }) => not(isNull(name))))
}

/** Filter for items of an accepted quality; null where any is accepted. */
function qualityFilter({ quality }: Selection): NativeFilter | null {
  const condition = quality === undefined ? null : qualityCondition(quality)
  if (condition === null) return null
  return { type: 'expression', expression: druidExpression(condition, nameOfField) }
}

function nameOfField(leaf: Parameters<NameOf>[0]): string {
  if (leaf.kind !== 'field') throw new Error('a quality is a condition of a field')
  return leaf.field.name
}

/** The items of a selection. */
export function selectionFilter(selection: Selection): NativeFilter | null {
  return allOf([tagFilter(selection), itemFilter(selection.metrics), qualityFilter(selection)])
}

function beginsWith(dimension: string, prefix: string): NativeFilter {
  return { type: 'like', dimension, pattern: prefixPattern(prefix), escape: '\\' }
}

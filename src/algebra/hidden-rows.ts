// The rows that deletions hide, as a condition that can be written in several languages. A null does not meet it.
import { addTo } from '../lib/add-to.ts'
import type { DeletionCondition, HiddenRows } from '../model/deletion.ts'
import { positionColumn, timeColumn } from '../model/druid-row.ts'

/** Writes conditions in one language. Each of them may be unknown where a value is null. */
export interface ConditionWords<Condition> {
  /** Requires at least one condition. */
  all(conditions: readonly Condition[]): Condition
  any(conditions: readonly Condition[]): Condition
  none: Condition
  isOneOf(tag: string, values: readonly string[]): Condition
  isNull(tag: string): Condition
  startsWith(tag: string, prefix: string): Condition
  isAt(times: readonly number[]): Condition
  /** Both ends are included; null is no bound. */
  isWithin(column: typeof timeColumn | typeof positionColumn, from: number | null, to: number | null): Condition
  meets(condition: DeletionCondition): Condition
}

/** The condition that a deletion hides a row: it selects the row, which was pushed before it. */
export function hiddenBy<Condition>(hidden: HiddenRows, words: ConditionWords<Condition>): Condition {
  return words.all([...selectedBy(hidden, words), ...datedBy(hidden, words), pushedBefore(hidden, words)])
}

/** The conditions of a selection except its dates. */
function selectedBy<Condition>({ selection, items }: HiddenRows, words: ConditionWords<Condition>): Condition[] {
  const { tag, ids, prefixes, where } = selection
  const conditions: Condition[] = []
  if (ids !== null) conditions.push(words.isOneOf(tag, ids))
  if (prefixes !== null) conditions.push(anyOf(words, prefixes, (prefix) => words.startsWith(tag, prefix)))
  if (items !== null) conditions.push(anyOf(words, items, (some) => areAmong(some, words)))
  else if (where !== null) conditions.push(words.meets(where))
  return conditions
}

const isDated = ({ selection: { fromMs, toMs } }: HiddenRows): boolean => fromMs !== null || toMs !== null

function datedBy<Condition>(hidden: HiddenRows, words: ConditionWords<Condition>): Condition[] {
  const { fromMs, toMs } = hidden.selection
  return isDated(hidden) ? [words.isWithin(timeColumn, fromMs, toMs)] : []
}

function pushedBefore<Condition>({ pushed }: HiddenRows, words: ConditionWords<Condition>): Condition {
  return anyOf(words, pushed, ({ from, before }) => words.isWithin(positionColumn, from, before - 1))
}

/** The condition that at least one of some deletions hides a row. Conditions that several of them share are written once. */
export function hiddenByAny<Condition>(hidden: readonly HiddenRows[], words: ConditionWords<Condition>): Condition {
  const alike = new Map<string, HiddenRows[]>()
  for (const [place, one] of hidden.entries()) {
    const { tag, ids, prefixes, where } = one.selection
    const condition = where === null ? null : { ...where, value: String(where.value) }
    addTo(alike, one.items === null ? JSON.stringify([tag, ids, prefixes, condition]) : String(place), one)
  }
  return anyOf(words, [...alike.values()], (some) => hiddenByAlike(some, words))
}

/** Combines deletions whose selections differ only in their dates. */
function hiddenByAlike<Condition>(hidden: readonly HiddenRows[], words: ConditionWords<Condition>): Condition {
  const first = hidden[0]!
  if (hidden.length === 1) return hiddenBy(first, words)
  const selected = selectedBy(first, words)
  const pushed = JSON.stringify(first.pushed)
  if (!hidden.every((one) => JSON.stringify(one.pushed) === pushed)) {
    const each = byDates(hidden, words, (one) => words.all([...datedBy(one, words), pushedBefore(one, words)]))
    return words.all([...selected, words.any(each)])
  }
  const common = [...selected, pushedBefore(first, words)]
  if (!hidden.every(isDated)) return words.all(common)
  return words.all([...common, words.any(byDates(hidden, words, (one) => words.all(datedBy(one, words))))])
}

/** Up to this many deletions are tested one after another. With more, each half is tested only for rows within its dates. */
const triedMax = 8

const firstMs = ({ selection }: HiddenRows): number => selection.fromMs ?? -Number.MAX_VALUE
const lastMs = ({ selection }: HiddenRows): number => selection.toMs ?? Number.MAX_VALUE

function byDates<Condition>(
  hidden: readonly HiddenRows[],
  words: ConditionWords<Condition>,
  condition: (one: HiddenRows) => Condition,
): readonly Condition[] {
  const halved = (sorted: readonly HiddenRows[]): readonly Condition[] => {
    if (sorted.length <= triedMax) return sorted.map(condition)
    const half = Math.ceil(sorted.length / 2)
    return [sorted.slice(0, half), sorted.slice(half)].map((part) => {
      const tried = words.any(halved(part))
      const { fromMs } = part[0]!.selection
      const { toMs } = part.reduce((last, one) => (lastMs(one) > lastMs(last) ? one : last)).selection
      return fromMs === null && toMs === null ? tried : words.all([words.isWithin(timeColumn, fromMs, toMs), tried])
    })
  }
  return halved(hidden.toSorted((a, b) => firstMs(a) - firstMs(b)))
}

/** The deletions that may hide rows within a range of dates. */
export function hidingIn(hidden: readonly HiddenRows[], fromMs: number, toMs: number): readonly HiddenRows[] {
  return hidden.filter(
    ({ selection }) =>
      (selection.fromMs ?? Number.NEGATIVE_INFINITY) <= toMs && (selection.toMs ?? Number.POSITIVE_INFINITY) >= fromMs,
  )
}

/** The deletions that hide whole rows. */
export const rowDeletions = (hidden: readonly HiddenRows[]): readonly HiddenRows[] =>
  hidden.filter(({ selection }) => selection.metrics === null)

/** The deletions that hide values, by the name of each metric. */
export function metricDeletions(hidden: readonly HiddenRows[]): ReadonlyMap<string, readonly HiddenRows[]> {
  const taking = new Map<string, HiddenRows[]>()
  for (const one of hidden) {
    for (const { name } of one.selection.metrics ?? []) {
      addTo(taking, name, one)
    }
  }
  return taking
}

function areAmong<Condition>(
  { tags, times }: NonNullable<HiddenRows['items']>[number],
  words: ConditionWords<Condition>,
): Condition {
  const ofTags = Object.entries(tags).map(([tag, value]) =>
    value === null ? words.isNull(tag) : words.isOneOf(tag, [value]),
  )
  return words.all([...ofTags, words.isAt(times)])
}

function anyOf<Condition, Part>(
  words: ConditionWords<Condition>,
  parts: readonly Part[],
  condition: (part: Part) => Condition,
): Condition {
  return parts.length === 0 ? words.none : words.any(parts.map(condition))
}

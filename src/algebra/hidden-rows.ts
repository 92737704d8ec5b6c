// What deletions hide, as a condition: once for each language that it is written in. A null meets none of it.
import { addTo } from '../lib/add-to.ts'
import type { DeletionCondition, HiddenRows } from '../model/deletion.ts'
import { positionColumn, timeColumn } from '../model/druid-row.ts'

/** How a language writes conditions; any of them may be unknown where a value is null. */
export interface ConditionWords<Condition> {
  /** Of one at least. */
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

/** Whether a row is hidden by one deletion: it is selected, and was pushed before. */
export function hiddenBy<Condition>(hidden: HiddenRows, words: ConditionWords<Condition>): Condition {
  const { selection, pushed, items } = hidden
  const { tag, ids, prefixes, fromMs, toMs, where } = selection
  const conditions: Condition[] = []
  const add = (condition: Condition): number => conditions.push(condition)
  if (ids !== null) add(words.isOneOf(tag, ids))
  if (prefixes !== null) add(anyOf(words, prefixes, (prefix) => words.startsWith(tag, prefix)))
  if (fromMs !== null || toMs !== null) add(words.isWithin(timeColumn, fromMs, toMs))
  if (items !== null) add(anyOf(words, items, (some) => areAmong(some, words)))
  else if (where !== null) add(words.meets(where))
  add(anyOf(words, pushed, ({ from, before }) => words.isWithin(positionColumn, from, before - 1)))
  return words.all(conditions)
}

/** So many deletions are tried one after another; of more, each half is tried only for rows of its dates. */
const triedMax = 8

/** Whether a row is hidden by one of some deletions, of one at least: by each row a few of many are tried. */
export function hiddenByAny<Condition>(hidden: readonly HiddenRows[], words: ConditionWords<Condition>): Condition {
  const isDated = ({ selection: { fromMs, toMs } }: HiddenRows): boolean => fromMs !== null || toMs !== null
  const others = hidden.filter((one) => !isDated(one)).map((one) => hiddenBy(one, words))
  const sorted = hidden.filter(isDated).sort((a, b) => firstMs(a) - firstMs(b))
  return words.any([...others, ...byDates(sorted, words)])
}

const firstMs = ({ selection }: HiddenRows): number => selection.fromMs ?? -Number.MAX_VALUE
const lastMs = ({ selection }: HiddenRows): number => selection.toMs ?? Number.MAX_VALUE

function byDates<Condition>(sorted: readonly HiddenRows[], words: ConditionWords<Condition>): readonly Condition[] {
  if (sorted.length <= triedMax) return sorted.map((one) => hiddenBy(one, words))
  const half = Math.ceil(sorted.length / 2)
  return [sorted.slice(0, half), sorted.slice(half)].map((part) => {
    const tried = words.any(byDates(part, words))
    const { fromMs } = part[0]!.selection
    const { toMs } = part.reduce((last, one) => (lastMs(one) > lastMs(last) ? one : last)).selection
    return fromMs === null && toMs === null ? tried : words.all([words.isWithin(timeColumn, fromMs, toMs), tried])
  })
}

/** Those deletions that rows of a range of dates may be hidden by. */
export function hidingIn(hidden: readonly HiddenRows[], fromMs: number, toMs: number): readonly HiddenRows[] {
  return hidden.filter(
    ({ selection }) =>
      (selection.fromMs ?? Number.NEGATIVE_INFINITY) <= toMs && (selection.toMs ?? Number.POSITIVE_INFINITY) >= fromMs,
  )
}

/** Those that take whole rows. */
export const takingRows = (hidden: readonly HiddenRows[]): readonly HiddenRows[] =>
  hidden.filter(({ selection }) => selection.metrics === null)

/** By the name of each metric that reads as null in some rows, the deletions that do it. */
export function takingMetrics(hidden: readonly HiddenRows[]): ReadonlyMap<string, readonly HiddenRows[]> {
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

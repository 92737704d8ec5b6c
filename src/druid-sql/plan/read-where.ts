// WHERE for the store: bounds of the time, and a filter of tags, dimensions and numbers. Null means that the store does not support it.

import type { SelectedRows } from '../../algebra/aggregation.ts'
import { allOf, type Scalar } from '../../algebra/scalar.ts'
import type { Zone } from '../../druid-time/zone.ts'
import { type ComparisonOperator, swapped } from '../../lib/comparison-operator.ts'
import { msPerDay } from '../../model/instant.ts'
import type { Range } from '../../model/plan.ts'
import { comparison, within } from '../bind/bind-truth.ts'
import { castOperand, instantOfText } from '../bind/conversions.ts'
import { conjuncts } from '../bind/logic.ts'
import { movedBy } from '../bind/time-arithmetic.ts'
import { type Bound, type CallNode, optionsOf, type TimeNode } from '../bind/tree.ts'
import { inInterval, now, timeOfMilliseconds } from '../functions/times.ts'
import type { TableRows } from './table-rows.ts'

export type PlannedWhere = Pick<SelectedRows, 'ranges' | 'filter'>

/** The time at which a query runs, and the zone of its times. */
export interface QueryClock {
  readonly nowMs: number
  readonly zone: Zone
}

/** Bounds of the time must be at the top level, joined by AND. */
export function plannedWhere(conditions: readonly Bound[], rows: TableRows, clock: QueryClock): PlannedWhere | null {
  let range: Range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const filters: Scalar[] = []
  for (const part of conditions.flatMap(conjuncts)) {
    const bounds = timeBounds(part, rows, clock)
    const filter = bounds === null ? rows.filterOf(part) : null
    if (bounds !== null) {
      range = { fromMs: Math.max(range.fromMs, bounds.fromMs), toMs: Math.min(range.toMs, bounds.toMs) }
    } else if (filter === null) return null
    else filters.push(filter)
  }
  const ranges = range.fromMs <= range.toMs ? [range] : []
  return { ranges, filter: allOf(filters) }
}

/** Null where the condition is not a bound of the time, or its value is not known yet. */
export function timeBounds(part: Bound, rows: TableRows, clock: QueryClock): Range | null {
  if (part.kind !== 'call') return null
  const [first, second, third] = part.operands
  const compared = optionsOf(part, comparison)
  if (compared !== undefined) {
    const isTurned = rows.isTime(second!)
    if (!isTurned && !rows.isTime(first!)) return null
    const ms = instantOf(isTurned ? first! : second!, clock)
    return ms === null ? null : boundsBy(isTurned ? swapped[compared.operator] : compared.operator, ms)
  }
  if (first === undefined || !rows.isTime(first)) return null
  if (optionsOf(part, within)?.symmetric === false) {
    const [fromMs, toMs] = [instantOf(second!, clock), instantOf(third!, clock)]
    return fromMs === null || toMs === null ? null : { fromMs, toMs }
  }
  const interval = optionsOf(part, inInterval)
  return interval === undefined ? null : { fromMs: interval.startMs, toMs: interval.endMs - 1 }
}

/** The value that a time is compared with: an instant, or a text that is read as one. Null where it is not known yet. */
function instantOf(node: Bound, clock: QueryClock): number | null {
  switch (node.kind) {
    case 'literal':
      return typeof node.value === 'string' ? instantOfText(node.value, clock.zone) : null
    case 'time':
      return node.type.kind === 'date' ? midnightOf(node, clock.zone) : node.ms
    case 'call':
      return calledInstant(node, clock)
    default:
      return null
  }
}

/** Null where a day starts twice or has no midnight: the engine then uses an offset of its own. */
function midnightOf({ ms }: TimeNode, zone: Zone): number | null {
  const { moments, skipped } = zone.momentsOf(ms)
  return moments.length === 1 && !skipped ? moments[0] : null
}

function calledInstant(node: CallNode, clock: QueryClock): number | null {
  const [first, second] = node.operands
  if (node.fn.id === now.id) return clock.nowMs
  if (node.fn.id === timeOfMilliseconds.id) {
    const ms = first!.kind === 'literal' ? Number(first!.value) : Number.NaN
    return first!.kind === 'literal' && typeof first!.value === 'bigint' && Number.isSafeInteger(ms) ? ms : null
  }
  const operand = castOperand(node)
  if (operand !== undefined) return node.type.kind === 'timestamp' ? instantOf(operand, clock) : null
  const moved = optionsOf<{ readonly operator: string }>(node, movedBy)
  return moved === undefined ? null : movedInstant(first!, moved.operator, second!, clock)
}

/** An instant moved by an interval of days and shorter units, which is elapsed time, whatever the clocks show. */
function movedInstant(at: Bound, operator: string, by: Bound, clock: QueryClock): number | null {
  const ms = by.kind !== 'interval' || by.steps.months !== 0 ? null : instantOf(at, clock)
  if (ms === null || by.kind !== 'interval') return null
  const byMs = by.steps.days * msPerDay + by.steps.ms
  return (operator === '+') === by.isNegative ? ms - byMs : ms + byMs
}

function boundsBy(operator: ComparisonOperator, ms: number): Range | null {
  const all = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  switch (operator) {
    case '=':
      return { fromMs: ms, toMs: ms }
    case '<':
      return { ...all, toMs: ms - 1 }
    case '<=':
      return { ...all, toMs: ms }
    case '>':
      return { ...all, fromMs: ms + 1 }
    case '>=':
      return { ...all, fromMs: ms }
    case '<>':
      return null
  }
}

// Checks that the rows that a query of the SQL engine needs have not expired: the engine does not read hours.
import type { Entity } from '../../model/entity.ts'
import { requireUnexpiredRows } from '../../model/rows-expired.ts'
import { conjuncts } from '../bind/logic.ts'
import { allRows, type BoundRows, columnsIn, fromsIn, hasAggregate, type SelectNode } from '../bind/tree.ts'
import { type QueryClock, timeBounds } from './read-where.ts'
import { TableRows } from './table-rows.ts'
import { type TableSelect, tableSelect } from './table-select.ts'

const why =
  'older rows are stored only as hours, which support COUNT, SUM, MIN, MAX and AVG of one entity by whole hours, filtered and grouped by time and tags. Start "__time" at this date'

/** Throws Problem `rows_expired` unless all requested rows exist. A query without a start that aggregates nothing starts with the oldest that exist. */
export function requireRowsOf(entities: readonly Entity[], rows: BoundRows, clock: QueryClock): void {
  requireUnexpiredRows(entities, (entity) => firstAsked(entity, rows, clock), why)
}

/** The time from which rows are requested; Infinity where it is that of the oldest existing row. */
function firstAsked(entity: Entity, rows: BoundRows, clock: QueryClock): number {
  const asked = tableSelect(rows)
  if (asked !== null) {
    const { fromMs, isPlain } = boundsOf(entity, asked, clock)
    const isOpen = fromMs === Number.NEGATIVE_INFINITY && isPlain && !aggregates(rows)
    return isOpen ? Number.POSITIVE_INFINITY : fromMs
  }
  const starts = allRows(rows).flatMap((one) => {
    if (one.kind === 'append') return one.parts.some(({ entityId }) => entityId === entity.id) ? [-Infinity] : []
    return one.kind === 'select' && one.from !== null ? startsIn(entity, one, clock) : []
  })
  return Math.min(...starts)
}

/** The starts for the tables in FROM that are the entity. */
function startsIn(entity: Entity, select: SelectNode, clock: QueryClock): number[] {
  const { from, where } = select
  return (from === null ? [] : fromsIn(from)).flatMap((one) => {
    if (one.kind !== 'entity' || one.entityId !== entity.id) return []
    const asked: TableSelect = {
      select,
      rows: { limit: null, offset: 0 },
      conditions: where === null ? [] : [where],
      resolve: (column) => (column.at.relation === one.relation ? column : null),
    }
    return [boundsOf(entity, asked, clock).fromMs]
  })
}

/** `isPlain`: the conditions on the time are only bounds, and do not select only rows that have expired. */
function boundsOf(entity: Entity, asked: TableSelect, clock: QueryClock): { fromMs: number; isPlain: boolean } {
  const rows = new TableRows(entity, asked)
  let fromMs = Number.NEGATIVE_INFINITY
  let isPlain = true
  for (const part of asked.conditions.flatMap(conjuncts)) {
    const bounds = timeBounds(part, rows, clock)
    if (bounds === null) isPlain &&= !columnsIn(part).some((column) => rows.isTime(column))
    else {
      fromMs = Math.max(fromMs, bounds.fromMs)
      isPlain &&= bounds.toMs >= (entity.sinceMs ?? bounds.toMs)
    }
  }
  return { fromMs, isPlain }
}

const aggregates = (rows: BoundRows): boolean =>
  allRows(rows).some(
    (one) =>
      one.kind === 'select' &&
      (one.groups !== null || [...one.outputs, ...(one.having === null ? [] : [one.having])].some(hasAggregate)),
  )

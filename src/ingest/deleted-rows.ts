// Tests row by row whether a deletion selects the rows of a batch. A row rejected before a deletion and replayed after it counts as pushed before.
import { isMetByValues } from '../lib/comparison-operator.ts'
import { type ColumnVector, isNullAt, valueAt } from '../model/column.ts'
import type { DeletionSelection } from '../model/deletion.ts'
import { type RowBatch, timesOf } from '../model/row-batch.ts'
import type { RowFault } from '../model/row-fault.ts'

/** A deletion that is in effect, or is being made. */
export interface ActiveDeletion {
  /** Null while it is being made. */
  readonly id: number | null
  /** Rows before this position were pushed before the deletion. */
  readonly position: number
  readonly selection: DeletionSelection
}

/** The deletions of entities. */
export interface ActiveDeletions {
  of(entityId: number): readonly ActiveDeletion[]
  /** Whether the deletion selected the item of these tags and date, if rows replace each other. May also be true if that cannot be determined. */
  mayHaveSelected(entityId: number, deletionId: number, tags: ReadonlyMap<string, string | null>, ms: number): boolean
}

/** Whether a row is selected, on its own values. A deletion of metrics selects only rows in which one of them is not null. */
export function selectedRows(batch: RowBatch, selection: DeletionSelection): (row: number) => boolean {
  const { where, metrics } = selection
  const isNear = nearRows(batch, selection)
  const meets = where === null ? () => true : conditionTest(batch, where)
  const columns = metrics?.flatMap(({ name }) => columnNamed(batch, name) ?? []) ?? null
  const hasValue = (row: number): boolean => columns?.some((column) => !isNullAt(column, row)) ?? true
  return (row) => isNear(row) && meets(row) && hasValue(row)
}

/**
 * Why replayed rows of a batch are not stored, by row: a deletion made after their push and before the replay selects them.
 * `pushedAt` returns the position of a row's original push.
 */
export function deletedRows(
  batch: RowBatch,
  deletions: ActiveDeletions,
  replayPosition: number,
  pushedAt: (row: number) => number,
): ReadonlyMap<number, RowFault> {
  const faults = new Map<number, RowFault>()
  for (const deletion of deletions.of(batch.entityId)) {
    if (deletion.position > replayPosition) continue
    const isSelected = selectedRows(batch, deletion.selection)
    const isOfTakenItem = takenItems(batch, deletion, deletions)
    for (let row = 0; row < batch.rows; row++) {
      if (faults.has(row) || pushedAt(row) >= deletion.position) continue
      if (isSelected(row) || isOfTakenItem(row)) faults.set(row, faultOf(deletion))
    }
  }
  return faults
}

/** Tests tags and date only. */
function nearRows(batch: RowBatch, { tag, ids, prefixes, fromMs, toMs }: DeletionSelection): (row: number) => boolean {
  const times = timesOf(batch)
  const column = columnNamed(batch, tag)
  const wanted = ids === null ? null : new Set(ids)
  const passes = (value: string | null): boolean =>
    (wanted === null || (value !== null && wanted.has(value))) &&
    (prefixes === null || (value !== null && prefixes.some((prefix) => value.startsWith(prefix))))
  return (row) => {
    const ms = times[row]!
    if ((fromMs !== null && ms < fromMs) || (toMs !== null && ms > toMs)) return false
    return passes(column === null ? null : textAt(column, row))
  }
}

function conditionTest(
  batch: RowBatch,
  { metric, operator, value }: NonNullable<DeletionSelection['where']>,
): (row: number) => boolean {
  const column = columnNamed(batch, metric.name)
  return (row) => {
    const known = column === null ? null : valueAt(column, row)
    return known !== null && isMetByValues(operator === '!=' ? '<>' : operator, known, value)
  }
}

/** Where rows replace each other, deleting an item deletes all its rows pushed before. Conditions other than `where` apply equally to all of them. */
function takenItems(
  batch: RowBatch,
  { id, selection }: ActiveDeletion,
  deletions: ActiveDeletions,
): (row: number) => boolean {
  if (batch.pushedNulls === undefined || selection.where === null || id === null) return () => false
  const isNear = selectedRows(batch, { ...selection, where: null })
  const times = timesOf(batch)
  const tags = batch.fields.filter(({ role }) => role === 'tag').map(({ name }) => name)
  return (row) => {
    if (!isNear(row)) return false
    const values = new Map(tags.map((name) => [name, textAt(columnNamed(batch, name)!, row)]))
    return deletions.mayHaveSelected(batch.entityId, id, values, times[row]!)
  }
}

function faultOf({ id, selection: { metrics } }: ActiveDeletion): RowFault {
  const which = id === null ? 'A deletion that is being made' : `Deletion ${id} of the entity`
  const taken = metrics === null ? 'selects it' : `takes its ${metrics.map(({ name }) => `"${name}"`).join(', ')}`
  const instead = metrics === null ? 'Push the row again' : 'Replay it without these (drop), push the row again'
  return {
    code: 'row_deleted',
    field: null,
    message: `${which} ${taken}: the row was pushed before it. ${instead}, or take the deletion back and replay it`,
  }
}

function columnNamed({ fields, columns }: RowBatch, name: string): ColumnVector | null {
  return columns[fields.findIndex((field) => field.name === name)] ?? null
}

function textAt(column: ColumnVector, row: number): string | null {
  const value = valueAt(column, row)
  return typeof value === 'string' ? value : null
}

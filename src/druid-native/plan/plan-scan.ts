// Decides which native scans the store executes on its own columns, and how. Anything uncertain goes to the SQL engine.
// Tested by `test/druid-native/planned-scans.test.ts`.

import { aggregatedFields, boundsOfWork, selectedRows } from '../../algebra/aggregation.ts'
import { ComputedFields } from '../../algebra/computed-fields.ts'
import { druidType } from '../../algebra/druid-expression.ts'
import { fieldNode } from '../../algebra/scalar.ts'
import { scanUnitsMax } from '../../algebra/scan-plan.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import type { ScanQuery } from '../parse/native-query-types.ts'
import type { NativeScanPlan } from './native-plan.ts'
import { rangesOf } from './plan-native.ts'
import { indexOfFields, rowFilter } from './row-filter.ts'

/** Null if the SQL engine must execute the query. */
export function planScan(query: ScanQuery, entityOf: (name: string) => Entity | null): NativeScanPlan | null {
  if (query.dataSource.kind !== 'table' || query.virtualColumns.length > 0) return null
  const entity = entityOf(query.dataSource.name)
  // A scan reads one table or file after the other, so it would return replaced rows along with their replacements.
  if (entity === null || entity.duplicates === 'replace') return null
  const fieldOf = aggregatedFields(entity)
  const computed = new ComputedFields()
  const filter =
    query.filter === null ? null : rowFilter(query.filter, { fieldOf, computed }, indexOfFields(fieldOf, []))
  const asked = selectedRows(entity, { ranges: rangesOf(query), filter })
  if ((query.filter !== null && filter === null) || computed.all.length > 0 || asked === null) return null
  const fields = entity.fields.filter(({ role }) => role !== 'time')
  const names = query.columns.length === 0 ? ['__time', ...fields.map(({ name }) => name)] : query.columns
  if (!areKnown(names, fields)) return null
  // With a limit, rows of equal time are ordered by all of their columns.
  const isCut = query.limit !== null || query.offset > 0
  const columns = isCut ? fields : fields.filter(({ name }) => names.includes(name))
  const { groupsMax: rowsMax } = boundsOfWork(1 + columns.length)
  return {
    kind: 'scan',
    scan: {
      columns,
      isDescending: query.order === 'descending',
      limit: query.limit === null ? null : query.limit + query.offset,
      rowsMax,
      unitsMax: scanUnitsMax,
      ...asked,
    },
    outputs: names.map((name) => outputOfColumn(name, columns)),
    segmentsOf: query.order === 'none' ? entity.name : null,
    compact: query.compact,
    batchSize: query.batchSize,
    offset: query.offset,
  }
}

function areKnown(names: readonly string[], fields: readonly EntityField[]): boolean {
  const isKnown = (name: string): boolean =>
    name === '__time' || fields.some((field) => field.name === name && field.type !== 'json')
  return fields.every(({ name }) => name !== '__time') && names.every(isKnown)
}

function outputOfColumn(name: string, columns: readonly EntityField[]): NativeScanPlan['outputs'][number] {
  if (name === '__time') return { name, type: 'LONG', at: 0 }
  const place = columns.findIndex((column) => column.name === name)
  return { name, type: druidType(fieldNode(columns[place]!).type), at: 1 + place }
}

import type { SqlScanPlan } from '../plan/sql-plan.ts'
import { type NativeQuery, nativeFilter, nativeIntervals } from './native-of-plan.ts'

/** The scan of Druid that means the same. */
export function nativeScan({ scan, outputs, offset }: SqlScanPlan, entityName: string): NativeQuery {
  const names = outputs.map(({ at }) => (at === 0 ? '__time' : scan.columns[at - 1]!.name))
  // Rows that come by time show it.
  const columns = [...new Set([...names, '__time'])]
  const query = {
    queryType: 'scan',
    dataSource: { type: 'table', name: entityName },
    intervals: { type: 'intervals', intervals: nativeIntervals(scan) },
    ...(scan.filter === null ? {} : { filter: nativeFilter(scan.filter, ({ name }) => name) }),
    resultFormat: 'compactedList',
    columns,
    order: scan.isDescending ? 'descending' : 'ascending',
    ...(scan.limit === null ? {} : { limit: scan.limit - offset }),
    ...(offset === 0 ? {} : { offset }),
  }
  return { query, columns: names }
}

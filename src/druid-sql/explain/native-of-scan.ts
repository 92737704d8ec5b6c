import { druidExpression, druidType, type NameOf } from '../../algebra/druid-expression.ts'
import type { SqlScanPlan } from '../plan/sql-plan.ts'
import { type NativeQuery, nativeFilter, nativeIntervals } from './native-of-plan.ts'

/** The scan of Druid that means the same. */
export function nativeScan({ scan, outputs, offset }: SqlScanPlan, entityName: string): NativeQuery {
  const cells = ['__time', ...scan.columns.map(({ name }) => name)]
  const nameOf: NameOf = (leaf) => (leaf.kind === 'cell' ? cells[leaf.at]! : leaf.field.name)
  const virtualColumns: object[] = []
  const names = outputs.map((output) => {
    if (output.kind === 'cell') return cells[output.at]!
    const name = `v${virtualColumns.length}`
    virtualColumns.push({
      type: 'expression',
      name,
      expression: druidExpression(output, nameOf),
      outputType: druidType(output.type),
    })
    return name
  })
  // Rows that come by time show it.
  const columns = [...new Set([...names, '__time'])]
  const query = {
    queryType: 'scan',
    dataSource: { type: 'table', name: entityName },
    intervals: { type: 'intervals', intervals: nativeIntervals(scan) },
    ...(scan.filter === null ? {} : { filter: nativeFilter(scan.filter, ({ name }) => name) }),
    ...(virtualColumns.length === 0 ? {} : { virtualColumns }),
    resultFormat: 'compactedList',
    columns,
    order: scan.isDescending ? 'descending' : 'ascending',
    ...(scan.limit === null ? {} : { limit: scan.limit - offset }),
    ...(offset === 0 ? {} : { offset }),
  }
  return { query, columns: names }
}

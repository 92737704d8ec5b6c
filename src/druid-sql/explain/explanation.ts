// The response to `EXPLAIN PLAN FOR`, as in Druid: one row of three texts.

import { druidExpression, druidType, type NameOf } from '../../algebra/druid-expression.ts'
import { tokenize } from '../parse/tokenizer.ts'
import type { PlannedSql, SqlScanPlan } from '../plan/sql-plan.ts'
import type { ReadableTables } from '../readable-tables.ts'
import type { SqlQuery } from '../sql-query.ts'
import type { CheckedSql } from '../translate.ts'
import { type NativeQuery, nativeFilter, nativeIntervals, nativeQuery, virtualColumn } from './native-of-plan.ts'

/** The part of the service that computes the answer. */
export type AnsweringEngine = 'store' | 'sql-engine' | 'druid'

const columns = ['PLAN', 'RESOURCES', 'ATTRIBUTES']

/** The columns of an explanation, the same for all queries. */
export const explanationColumns = columns.map((name) => ({ name, sqlType: 'VARCHAR' }))

/** How a query is answered: by the store's plan where there is one, else as SQL. */
export interface Explained {
  readonly text: string
  readonly checked: Pick<CheckedSql, 'columns' | 'entityIds' | 'items'>
  readonly readable: Pick<ReadableTables, 'entities' | 'metadataEntities'>
  readonly plan: PlannedSql | null
  readonly answeredBy: AnsweringEngine
}

/** A query whose answer is the explanation. It contains only names that the caller wrote or may read. */
export function explanationQuestion(explained: Explained): SqlQuery {
  const texts = [[planOf(explained)], resourcesOf(explained), { statementType: 'SELECT' }]
  return {
    text: `SELECT ${columns.map((name) => `? AS ${name}`).join(', ')}`,
    parameters: texts.map((one) => ({ kind: 'text', value: JSON.stringify(one) })),
  }
}

/** In Druid's form, with `answeredBy` added. */
function planOf({ text, checked, readable, plan, answeredBy }: Explained): object {
  const { entities } = readable
  const name = entities.find(({ id }) => checked.entityIds.includes(id))?.name
  const native = plan === null || name === undefined ? null : nativeOf(plan, name)
  const queryColumns = native?.columns ?? checked.columns.map((column) => column.name)
  return {
    query: native?.query ?? { queryType: 'sql', query: text.trim() },
    signature: checked.columns.map(({ druid }, at) => ({ name: queryColumns[at]!, type: druid.type })),
    columnMappings: checked.columns.map((column, at) => ({
      queryColumn: queryColumns[at]!,
      outputColumn: column.name,
    })),
    answeredBy,
  }
}

const nativeOf = (plan: PlannedSql, name: string): NativeQuery =>
  'scan' in plan ? nativeScan(plan, name) : nativeQuery(plan, name)

function resourcesOf({ checked, readable }: Explained): readonly object[] {
  const series = readable.entities.filter(({ id }) => checked.entityIds.includes(id))
  const metadata = readable.metadataEntities.filter(({ id }) => checked.items.some(({ entityId }) => entityId === id))
  return [
    ...series.map(({ name }) => ({ name, type: 'DATASOURCE' })),
    ...metadata.map(({ name }) => ({ name, type: 'METADATA' })),
  ]
}

/** The equivalent scan query of Druid. */
function nativeScan({ scan, outputs, offset }: SqlScanPlan, entityName: string): NativeQuery {
  const cells = ['__time', ...scan.columns.map(({ name }) => name)]
  const nameOf: NameOf = (leaf) => (leaf.kind === 'cell' ? cells[leaf.at]! : leaf.field.name)
  const virtualColumns: object[] = []
  const names = outputs.map((output) => {
    if (output.kind === 'cell') return cells[output.at]!
    const name = `v${virtualColumns.length}`
    virtualColumns.push(virtualColumn(name, druidExpression(output, nameOf), druidType(output.type)))
    return name
  })
  // A scan that is ordered by time must include it.
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

const words = ['EXPLAIN', 'PLAN', 'FOR']

/** The query to be explained, at its position in the text; null where the text is not an EXPLAIN. */
export function explainedQuery(text: string, tokensMax: number): string | null {
  if (!/explain/i.test(text)) return null
  const tokens = tokenize(text, tokensMax)
  if (words.some((word, at) => tokens[at]!.upper !== word || tokens[at]!.kind !== 'word')) return null
  const { line, column } = tokens[words.length]!.place
  let start = column - 1
  for (let at = 1, from = 0; at < line; at += 1) {
    const lineEnd = text.indexOf('\n', from) + 1
    start += lineEnd - from
    from = lineEnd
  }
  return text.slice(0, start).replace(/[^\n]/g, ' ') + text.slice(start)
}

import { type Json, unsupported } from './json-reader.ts'
import type { DataSource, NativeQuery } from './native-query-types.ts'
import { readExpression, readType } from './read-common.ts'
import { readFilterOrNull } from './read-filter.ts'

const druidTypes = ['lookup', 'unnest', 'filter', 'globalTable', 'restrict', 'external']
const joinTypes = ['INNER', 'LEFT', 'RIGHT', 'FULL'] as const

export function readDataSource(json: Json, readQuery: (json: Json) => NativeQuery): DataSource {
  if (!json.isObject)
    return {
      kind: 'table',
      name:
        typeof json.value === 'string'
          ? json.value
          : json.fail(json.missing ? 'is required' : 'must be a name or an object'),
      path: json.path,
    }
  const again = (inner: Json): DataSource => readDataSource(inner, readQuery)
  switch (json.type()) {
    case 'table':
      return { kind: 'table', name: json.at('name').text(), path: json.at('name').path }
    case 'union': {
      const tables = json
        .at('dataSources')
        .items()
        .map((item) => {
          const table = again(item)
          if (table.kind !== 'table') throw unsupported(item.path, 'a union of anything other than tables')
          return table
        })
      return tables.length === 0 ? json.at('dataSources').fail('must not be empty') : { kind: 'union', tables }
    }
    case 'query':
      return { kind: 'query', query: readQuery(json.at('query')) }
    case 'inline':
      return readInline(json)
    case 'join': {
      const prefix = json.at('rightPrefix').text()
      if (prefix === '') json.at('rightPrefix').fail('must not be empty')
      const right = again(json.at('right'))
      if (right.kind === 'table' || right.kind === 'union')
        json.at('right').fail('must be a query or inline rows: Druid does not join tables on the right')
      return {
        kind: 'join',
        left: again(json.at('left')),
        right,
        prefix,
        condition: readExpression(json.at('condition')),
        joinType: json.at('joinType').oneOf(joinTypes),
        leftFilter: readFilterOrNull(json.at('leftFilter')),
        path: json.at('condition').path,
      }
    }
    default:
      return json.refuseType('data source', druidTypes)
  }
}

/** Inline values become part of the SQL statement. */
const inlineValuesMax = 20_000

function readInline(json: Json): DataSource {
  const names = json.at('columnNames').texts()
  const types = json.at('columnTypes')
  const listed = types.missing ? null : types.items()
  if (listed !== null && listed.length !== names.length) types.fail('must have a type for each column')
  const items = json.at('rows').items()
  if (items.length * names.length > inlineValuesMax)
    json.at('rows').fail(`hold ${items.length * names.length} values: at most ${inlineValuesMax} are allowed`)
  const rows = items.map((row) => {
    const values = row.items()
    if (values.length !== names.length) row.fail('must have a value for each column')
    return values.map((value) => value.scalarOrNull('an array in inline rows'))
  })
  return {
    kind: 'inline',
    columns: names.map((name, index) => ({
      name,
      type: listed === null || listed[index]!.missing ? null : readType(listed[index]!, 'STRING'),
    })),
    rows,
  }
}

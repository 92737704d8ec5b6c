import { Json } from './json-reader.ts'
import type { Context } from './native-query-types.ts'
import type { VirtualColumn } from './query-nodes.ts'
import { readExpression, readValueType } from './read-common.ts'

export function readVirtualColumn(json: Json): VirtualColumn {
  if (json.type() !== 'expression')
    return json.refuseType('virtual column', [
      'nested-field',
      'mv-filtered',
      'mv-regex-filtered',
      'mv-prefix-filtered',
      'fallback',
      'list-filtered',
      'regex-filtered',
      'prefix-filtered',
    ])
  return {
    name: json.at('name').text(),
    expression: readExpression(json.at('expression')),
    outputType: readValueType(json.at('outputType'), 'FLOAT'),
    path: json.at('expression').path,
  }
}

export function readContext(json: Json): Context {
  const at = (name: string): Json => (json.missing ? new Json(undefined, '') : json.at(name))
  const timeout = at('timeout').missing ? null : at('timeout').whole()
  if (timeout !== null && timeout < 0) at('timeout').fail('must not be below 0')
  return {
    skipEmptyBuckets: at('skipEmptyBuckets').flag(false),
    grandTotal: at('grandTotal').flag(false),
    sortByDimsFirst: at('sortByDimsFirst').flag(false),
    timesAsLong: at('serializeDateTimeAsLong').flag(false),
    resultAsArray: at('resultAsArray').flag(false),
    timeoutMs: timeout === 0 ? null : timeout,
    queryId: at('queryId').textOrNull(),
  }
}

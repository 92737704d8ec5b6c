import { describe, expect, test } from 'vitest'
import { positionColumn } from '../../../model/druid-row.ts'
import type { Entity } from '../../../model/entity.ts'
import { druidNative } from './druid-native.ts'

const plant: Entity = {
  id: 1,
  name: 'plant',
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
  ],
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}

function rendered(data: object): object {
  const own = { dataSource: 'plant', intervals: ['2026-01-01/P1D'], ...data }
  const body = Buffer.from(JSON.stringify({ query_type: 'scan', query_data: own }))
  return druidNative(body, { entities: [plant], clusterName: 'c', rowsMax: 100 }).query
}

describe('expressions of arrays, lambdas and JSON go to Druid as they are', () => {
  test.each([
    ["array_length(string_to_array(T, ','))", 'LONG'],
    ['map((x) -> x + 1, [1, 2])', 'ARRAY<LONG>'],
    ["fold((x, acc) -> concat(acc, x), mv_to_array(T), '')", 'STRING'],
    ['cartesian_map((x, y) -> x + y, <LONG>[1], array(2))', 'ARRAY<LONG>'],
    ["any((x) -> x == 'a', T)", 'LONG'],
    ["json_value(parse_json(T), '$.a', 'DOUBLE')", 'DOUBLE'],
    ["ipv4_match(T, '10.0.0.0/8')", 'LONG'],
    ['human_readable_decimal_format(ulp(1))', 'STRING'],
  ])('%s', (expression, outputType) => {
    const column = { type: 'expression', name: 'v', expression, outputType }
    const filter = { type: 'arrayContainsElement', column: 'v', elementMatchValueType: 'LONG', elementMatchValue: 1 }
    expect(rendered({ virtualColumns: [column], filter })).toMatchObject({ virtualColumns: [column], filter })
  })

  test('a hidden column is no column in a lambda either', () => {
    const column = { type: 'expression', name: 'v', expression: `map((x) -> concat(x, "${positionColumn}"), T)` }
    expect(() => rendered({ virtualColumns: [column] })).toThrow('there is no column')
  })
})

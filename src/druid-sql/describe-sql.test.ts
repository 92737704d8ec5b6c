import { expect, test } from 'vitest'
import type { Entity } from '../model/entity.ts'
import { describeSql } from './describe-sql.ts'

const plant: Entity = {
  id: 1,
  name: 'plant',
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ],
} as unknown as Entity

const definitions = { entities: () => [plant], metadataEntities: () => [] }
const shown = (text: string, mayRead = true) => {
  const { columns, parameters } = describeSql(
    { text },
    definitions,
    { sqlTokens: 1000 },
    { id: 'a', mayRead: () => mayRead },
  )
  return [parameters, ...columns.map(({ name, sqlType }) => `${name} ${sqlType}`)]
}

test.each<[string, (string | number)[]]>([
  ['SELECT * FROM plant', [0, '__time TIMESTAMP', 'T VARCHAR', 'V DOUBLE']],
  [
    "SELECT COUNT(*) AS n, V > 1 AS b, '?' AS q, NULL AS x FROM plant GROUP BY V",
    [0, 'n BIGINT', 'b BOOLEAN', 'q VARCHAR', 'x VARCHAR'],
  ],
  ['SELECT ARRAY[1] AS list, CAST(? AS BIGINT) AS n', [1, 'list ARRAY', 'n BIGINT']],
  ['SELECT T FROM plant WHERE T = ? AND V > ? -- ?', [2, 'T VARCHAR']],
  ['SELECT T FROM plant LIMIT ?', [1, 'T VARCHAR']],
  ['SELECT TIME_FLOOR(__time, ?) AS t FROM plant', [1]],
])('%s', (text, expected) => {
  expect(shown(text)).toEqual(expected)
})

test('an entity without read access is refused', () => {
  expect(() => shown('SELECT * FROM plant', false)).toThrow('plant')
})

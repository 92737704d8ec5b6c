import { describe, expect, test } from 'vitest'
import { readNativeBody } from '../parse/read-body.ts'
import { RowCount } from './row-count.ts'

const of = (query_type: string, data: object) =>
  readNativeBody(
    Buffer.from(JSON.stringify({ query_type, query_data: { dataSource: 'plant', intervals: ['2026/P1Y'], ...data } })),
  )
const timeseries = of('timeseries', { granularity: 'all' })
const groupBy = of('groupBy', { granularity: 'all' })
const topN = of('topN', { granularity: 'all', dimension: 'T', threshold: 5, metric: { type: 'dimension' } })
const scan = of('scan', {})

describe('the number of rows in a response', () => {
  test.each([
    ['no rows', scan, '[]', 0],
    ['buckets', timeseries, '[{"timestamp":"x","result":{"a":[1,[2]],"b":"]["}},{"timestamp":"y","result":{}}]', 2],
    ['groups', groupBy, '[{"version":"v1","event":{"T":"a"}},{"version":"v1","event":{"T":"\\"[{"}}]', 2],
    ['groups as arrays', groupBy, '[["a",1],["b",2],["c",[3,{}]]]', 3],
    [
      'the rows of a topN',
      topN,
      '[{"timestamp":"x","result":[{"T":"a","n":[1]},{"T":"b"}]},{"result":[{"T":"c"}]}]',
      3,
    ],
    [
      'scanned rows, not their columns',
      scan,
      '[{"segmentId":"sixsix","columns":["__time","events"],"events":[{"a":[{}]},{"a":1}],"rowSignature":[{"name":"a"},{"name":"b"}]}]',
      2,
    ],
    ['compacted scan rows', scan, '[{"columns":["a"],"events":[[1],["[",[2]]]},{"columns":["a"],"events":[[3]]}]', 3],
  ])('%s', (_, query, text, rows) => {
    const whole = new RowCount(query)
    whole.add(text)
    const inPieces = new RowCount(query)
    for (const character of text) inPieces.add(character)
    expect([whole.rows, inPieces.rows]).toEqual([rows, rows])
  })
})

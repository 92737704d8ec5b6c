// The requests that each command sends to the service.
import { afterEach, expect, test } from 'vitest'
import { closeServices, plantIngest, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

test.each<[string[], string]>([
  [['ingests', 'create', 'plant'], 'POST /admin/ingests {"alias":"plant","kind":"series"}'],
  [
    [
      'ingests',
      'create',
      'plant',
      '--entity',
      'e',
      '--field',
      'd:timestamp:time:D,t:string:tag',
      '--field',
      'v:double:metric',
    ],
    'POST /admin/ingests {"alias":"plant","kind":"series","entity":"e","fields":[{"name":"d","type":"timestamp","role":"time","source":"D"},{"name":"t","type":"string","role":"tag"},{"name":"v","type":"double","role":"metric"}]}',
  ],
  [
    ['ingests', 'block', 'plant', '--reason', 'audit'],
    'PATCH /admin/ingests/plant {"state":"blocked","reason":"audit"}',
  ],
  [
    ['ingests', 'create', 'tags', '--kind', 'metadata', '--field', 'id:string:index,limits:json:attribute'],
    'POST /admin/ingests {"alias":"tags","kind":"metadata","fields":[{"name":"id","type":"string","role":"index"},{"name":"limits","type":"json","role":"attribute"}]}',
  ],
  [['entities', 'retain', 'plant', 'P90D', '--yes'], 'PATCH /admin/entities/plant {"retention":"P90D"}'],
  [
    ['entities', 'retain', 'plant', '--rows', 'P90D', '--hours', 'P10Y', '--yes'],
    'PATCH /admin/entities/plant {"retention":"P90D","hours_retention":"P10Y"}',
  ],
  [['entities', 'retain', 'plant', '--hours', 'ever'], 'PATCH /admin/entities/plant {"hours_retention":null}'],
  [
    ['entities', 'retain', 'plant', '--hours', 'none', '--yes'],
    'PATCH /admin/entities/plant {"hours_retention":"none"}',
  ],
  [['entities', 'retain', 'plant', 'none'], 'PATCH /admin/entities/plant {"retention":null}'],
  [['entities', 'zone', 'plant', 'Europe/Madrid'], 'PATCH /admin/entities/plant {"time_zone":"Europe/Madrid"}'],
  [['entities', 'zone', 'plant', 'none'], 'PATCH /admin/entities/plant {"time_zone":null}'],
  [
    ['query', 'average', '--entity', 'e', '--time-zone', 'UTC', '--fill', 'linear', '--max-gap', 'PT1H'],
    'POST /consumer/data/average {"entity":"e","time_zone":"UTC","fill":"linear","max_gap":"PT1H"}',
  ],
  [
    ['query', 'aggregate', '--entity', 'e', '--aggregates', 'rise,covered', '--wrap', '65536', '--total-unit', 'day'],
    'POST /consumer/data/aggregate {"entity":"e","aggregates":["rise","covered"],"wrap":65536,"total_unit":"day"}',
  ],
  [['query', 'plot', '--entity', 'e', '--points', '9'], 'POST /consumer/data/plot {"entity":"e","points":9}'],
  [
    ['query', 'states', '--entity', 'e', '--max-gap', 'PT1H'],
    'POST /consumer/data/states {"entity":"e","max_gap":"PT1H"}',
  ],
  [
    ['query', 'average', '--entity', 'e', '--weight', 'time', '--shape', 'step'],
    'POST /consumer/data/average {"entity":"e","weight":"time","shape":"step"}',
  ],
  [['entities', 'retentions'], 'GET /admin/entities'],
  [
    ['metadata', 'items', 'tags', '--where', 'id[be]=a,b', '--where', 'id[bw]=a=', '--limit', '5'],
    'GET /consumer/metadata/tags?id%5Bbe%5D=a%2Cb&id%5Bbw%5D=a%3D&limit=5',
  ],
  [['metadata', 'delete', 'tags', 'a/b'], 'DELETE /admin/metadata/tags/items/a%2Fb'],
  [['ingests', 'unknown', 'plant', 'add'], 'PATCH /admin/ingests/plant {"unknown":"add"}'],
  [['ingests', 'unblock', 'plant'], 'PATCH /admin/ingests/plant {"state":"active"}'],
  [
    ['keys', 'create', 's', '--rights', 'ingest,consume', '--json'],
    'POST /admin/subscribers/s/keys {"rights":["ingest","consume"]}',
  ],
  [['keys', 'revoke', 'k1', '--yes'], 'DELETE /admin/keys/k1'],
  [['subscribers', 'create', 's'], 'POST /admin/subscribers {"name":"s"}'],
  [['subscribers', 'delete', 's', '--yes'], 'DELETE /admin/subscribers/s'],
  [['subscriptions', 'set', 's', '--none'], 'PUT /admin/subscribers/s/subscriptions []'],
  [
    [
      'query',
      'average',
      '--json',
      '--entity',
      'e',
      '--ids',
      'a,b',
      '--metrics',
      'V',
      '--start',
      'P1D',
      '--end',
      '2026-01-02',
      '--granularity',
      'hour',
    ],
    'POST /consumer/data/average {"entity":"e","ids":["a","b"],"metric_name_field":["V"],"start_date":"P1D","end_date":"2026-01-02","granularity":"hour"}',
  ],
  [
    [
      'query',
      'last',
      '--json',
      '--entity',
      'e',
      '--prefixes',
      'a',
      '--id-name',
      'T',
      '--date',
      '2026-01-01',
      '--offset',
      '0',
      '--fields',
      'u',
    ],
    'POST /consumer/data/last {"entity":"e","prefixes":["a"],"id_name_field":"T","date":"2026-01-01","offset":0,"fields":["u"]}',
  ],
  [
    ['rejected', 'list', 'plant', '--code', 'wrong_type', '--limit', '5', '--json'],
    'GET /admin/ingests/plant/rejected?code=wrong_type&limit=6',
  ],
  [['rejected', 'export', 'plant', '--code', 'wrong_type'], 'GET /admin/ingests/plant/rejected?code=wrong_type'],
  [['rejected', 'discard', 'plant', '7', '9'], 'DELETE /admin/ingests/plant/rejected {"ids":["7","9"]}'],
  [['rejected', 'discard', 'plant', '--all'], 'DELETE /admin/ingests/plant/rejected {}'],
])('%j', async (argv, expected) => {
  const answer = { ...plantIngest, Items: [], NextToken: null, discarded: 1 }
  const asked = expected.split(' ').slice(0, 2).join(' ')
  const { url, seen } = await service({ [asked]: () => [200, answer] })
  expect((await tidemark(url, argv)).code).toBe(0)
  expect(seen).toEqual([expected])
})

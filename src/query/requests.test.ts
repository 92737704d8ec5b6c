import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import type { QueryKind } from '../model/query-kind.ts'
import { queryRequests } from './requests.ts'

const kinds = Object.keys(queryRequests) as QueryKind[]
const dated = new Set<QueryKind>(['last', 'next'])

function isValid(kind: QueryKind, request: object): boolean {
  return Check(queryRequests[kind], request)
}

/** The smallest request of a kind. */
function smallest(kind: QueryKind): object {
  return {
    entity: 'plant',
    ...(dated.has(kind) ? { date: '2026-01-01' } : {}),
    ...(kind === 'aggregate' ? { aggregates: ['mean'] } : {}),
  }
}

const bucketed = 'time_zone fill max_gap'

/** The properties of each model: those in the service's document, and those added since. */
const models: Record<QueryKind, string> = {
  average: `end_date prefixes granularity id_name_field ids metric_name_field entity quality start_date weight shape ${bucketed}`,
  'average-dimensions': `end_date prefixes granularity id_name_field ids metric_name_field entity quality start_date fields weight shape ${bucketed}`,
  'average-granularity': `end_date prefixes granularity id_name_field ids metric_name_field entity quality start_date fields weight ${bucketed}`,
  select: 'end_date prefixes id_name_field ids metric_name_field fields entity quality start_date',
  latest: 'date prefixes id_name_field ids metric_name_field entity quality',
  last: 'date prefixes offset id_name_field ids metric_name_field fields entity quality',
  next: 'date prefixes offset id_name_field ids metric_name_field fields entity quality',
  snap: 'end_date prefixes granularity id_name_field ids metric_name_field entity quality start_date time_zone shape max_gap',
  aggregate: `end_date prefixes granularity id_name_field ids metric_name_field entity quality start_date fields aggregates shape total_unit reset wrap ${bucketed}`,
  plot: 'end_date prefixes id_name_field ids metric_name_field entity quality start_date points time_zone',
  states: `end_date prefixes granularity id_name_field ids metric_name_field entity quality start_date ${bucketed}`,
}

describe.each(kinds)('%s', (kind) => {
  test('has the properties of its model', () => {
    expect(Object.keys(queryRequests[kind].properties).sort()).toEqual(models[kind].split(' ').sort())
  })

  test('requires the entity, and date or aggregates where the kind needs them', () => {
    expect(isValid(kind, smallest(kind))).toBe(true)
    for (const name of Object.keys(smallest(kind))) {
      const { [name as keyof object]: _, ...rest } = smallest(kind)
      expect(isValid(kind, rest)).toBe(false)
      expect(isValid(kind, { ...rest, [name]: null })).toBe(false)
    }
  })

  test('accepts null for every other property', () => {
    const required = smallest(kind)
    for (const name of models[kind].split(' ').filter((property) => !(property in required))) {
      expect([name, isValid(kind, { ...required, [name]: null })]).toEqual([name, true])
    }
  })

  test('refuses an unknown property', () => {
    expect(isValid(kind, { ...smallest(kind), prefix: ['a'] })).toBe(false)
  })

  test('describes every property, with examples', () => {
    for (const property of Object.values(queryRequests[kind].properties)) {
      expect(property).toHaveProperty('description')
      expect(property).toHaveProperty('examples')
    }
  })
})

test.each<[string, object, boolean]>([
  ['a string for a list', { ids: 'a' }, false],
  ['a number in a list', { ids: ['a', 1] }, false],
  ['null in a list', { prefixes: [null] }, false],
  ['a number for a date', { date: 0 }, false],
  ['a negative offset', { offset: -1 }, false],
  ['a fractional offset', { offset: 0.5 }, false],
  ['an offset in a string', { offset: '1' }, false],
  ['offset 0', { offset: 0 }, true],
  ['a large offset', { offset: 1e15 }, true],
  ['empty lists', { ids: [], prefixes: [], metric_name_field: [], fields: [] }, true],
  ['an empty string in a list', { ids: [''] }, true],
  ['very many ids', { ids: Array.from({ length: 100_000 }, () => 'a') }, true],
  ['very many prefixes', { prefixes: Array.from({ length: 10_001 }, () => 'a') }, false],
  ['very many names', { fields: Array.from({ length: 10_001 }, () => 'a') }, false],
])('last with %s', (_, request, expected) => {
  expect(isValid('last', { ...smallest('last'), ...request })).toBe(expected)
})

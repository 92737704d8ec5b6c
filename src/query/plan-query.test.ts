import { describe, expect, test } from 'vitest'
import type { Entity, EntityField } from '../model/entity.ts'
import type { FieldRole, FieldType } from '../model/field.ts'
import { Problem, type ProblemError } from '../model/problem.ts'
import type { QueryKind } from '../model/query-kind.ts'
import { planQuery } from './plan-query.ts'
import type { QueryRequest } from './requests.ts'

const field = (name: string, type: FieldType, role: FieldRole): EntityField => ({ name, type, role })

const D = field('D', 'timestamp', 'time')
const T = field('T', 'string', 'tag')
const unit = field('unit', 'string', 'tag')
const site = field('site', 'string', 'dimension')
const floor = field('floor', 'long', 'dimension')
const V = field('V', 'double', 'metric')
const count = field('count', 'long', 'metric')
const state = field('state', 'string', 'metric')

const plant: Entity = {
  id: 7,
  name: 'plant',
  fields: [D, T, unit, site, floor, V, state, count],
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}
const words: Entity = { ...plant, name: 'words', fields: [D, T, state] }
const nowMs = Date.UTC(2026, 0, 1)

function plan<Kind extends QueryKind>(kind: Kind, request: Omit<QueryRequest<Kind>, 'entity'>, entity = plant) {
  return planQuery(kind, { entity: entity.name, ...request } as QueryRequest<Kind>, {
    entity,
    nowMs,
    bucketsMax: 100,
  })
}

function faultsOf(run: () => unknown): readonly ProblemError[] {
  try {
    run()
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request') return error.errors ?? []
    throw error
  }
  throw new Error('nothing was refused')
}

const everything = {
  entityId: 7,
  sinceMs: null,
  time: D,
  tags: [T, unit],
  ids: null,
  prefixes: null,
  metrics: [V, state, count],
  fields: [],
}
const always = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

describe('defaults', () => {
  test.each<[string, object]>([
    ['no properties', {}],
    [
      'null properties',
      { id_name_field: null, ids: null, prefixes: null, metric_name_field: null, fields: null, start_date: null },
    ],
    ['empty lists', { ids: [], prefixes: [], metric_name_field: [], fields: [] }],
  ])('select with %s reads everything', (_, request) => {
    expect(plan('select', request)).toEqual({ kind: 'select', selection: everything, range: always })
  })

  test('averages use the numeric metrics, over one bucket', () => {
    const selection = { ...everything, metrics: [V, count] }
    const expected = { kind: 'average', selection, range: always, granularity: { kind: 'all' } }
    const pooled = { ...selection, tags: [T] }
    expect(plan('average', {})).toEqual({ ...expected, byTag: true })
    expect(plan('average-dimensions', {})).toEqual({ ...expected, byTag: true })
    expect(plan('average-granularity', {})).toEqual({ ...expected, selection: pooled, byTag: false })
  })

  test('latest reads all of time', () => {
    expect(plan('latest', {})).toEqual({ kind: 'latest', selection: everything, fromMs: Number.NEGATIVE_INFINITY })
  })

  test.each(['last', 'next'] as const)('%s has the offset 0', (kind) => {
    expect(plan(kind, { date: '2026-01-01', offset: null })).toEqual({
      kind,
      selection: everything,
      dateMs: nowMs,
      offset: 0,
    })
  })

  test('snap has one tick, now', () => {
    expect(plan('snap', {})).toEqual({ kind: 'snap', selection: everything, ticksMs: Float64Array.of(nowMs) })
  })
})

describe('names', () => {
  test('fields and metrics keep the order of the request, without duplicates', () => {
    const request = { metric_name_field: ['count', 'V', 'count'], fields: ['floor', 'unit', 'floor', 'site'] }
    const { selection } = plan('select', { ...request, id_name_field: 'T' })
    expect(selection).toMatchObject({ metrics: [count, V], fields: [floor, unit, site] })
  })

  test('a tag that is already in the output is not repeated', () => {
    const fieldsOf = (kind: 'select' | 'average-dimensions' | 'average-granularity', id_name_field?: string) =>
      plan(kind, { fields: ['site', 'T', 'unit'], ...(id_name_field && { id_name_field }) }).selection.fields
    expect(fieldsOf('select')).toEqual([site])
    expect(fieldsOf('average-dimensions')).toEqual([site])
    expect(fieldsOf('select', 'unit')).toEqual([site, T])
    // In average-granularity the output has the tag only if it is named.
    expect(fieldsOf('average-granularity')).toEqual([site, T, unit])
  })

  test('items are identified by all tags in the order of the entity, or by only the named tag', () => {
    const kinds = ['average', 'average-dimensions', 'select', 'latest', 'snap'] as const
    const tagsOf = (asked: object) =>
      [
        ...kinds.map((kind) => plan(kind, asked)),
        plan('last', { date: '2026-01-01', ...asked }),
        plan('next', { date: '2026-01-01', ...asked }),
      ].map(({ selection }) => selection.tags)
    expect(tagsOf({})).toEqual(Array(7).fill([T, unit]))
    expect(tagsOf({ id_name_field: 'T' })).toEqual(Array(7).fill([T]))
    expect(tagsOf({ id_name_field: 'unit' })).toEqual(Array(7).fill([unit]))
  })

  test('where tags are pooled, only the tag that is filtered by is read', () => {
    expect(plan('average-granularity', {}).selection.tags).toEqual([T])
    expect(plan('average-granularity', { id_name_field: 'unit' }).selection.tags).toEqual([unit])
  })

  test.each<[string, object, string, string]>([
    [
      'an unknown metric',
      { metric_name_field: ['V', 'W'] },
      'metric_name_field[1]',
      '"W" is not a field of "plant"; allowed here: "V", "state", "count"',
    ],
    [
      'a tag as a metric',
      { metric_name_field: ['T'] },
      'metric_name_field[0]',
      '"T" is a tag of type string, not a metric; allowed here: "V", "state", "count"',
    ],
    [
      'the time field as a metric',
      { metric_name_field: ['D'] },
      'metric_name_field[0]',
      '"D" is the time field of type timestamp, not a metric; allowed here: "V", "state", "count"',
    ],
    [
      'an unknown field',
      { fields: ['Site'] },
      'fields[0]',
      '"Site" is not a field of "plant"; allowed here: "T", "unit", "site", "floor"',
    ],
    [
      'a metric as a field',
      { fields: ['site', 'V'] },
      'fields[1]',
      '"V" is a metric of type double, not a dimension or tag; allowed here: "T", "unit", "site", "floor"',
    ],
    [
      'an unknown tag',
      { id_name_field: 'tag' },
      'id_name_field',
      '"tag" is not a field of "plant"; allowed here: "T", "unit"',
    ],
    [
      'a dimension as a tag',
      { id_name_field: 'site' },
      'id_name_field',
      '"site" is a dimension of type string, not a tag; allowed here: "T", "unit"',
    ],
    [
      'the name of an Object property',
      { id_name_field: 'constructor' },
      'id_name_field',
      '"constructor" is not a field of "plant"; allowed here: "T", "unit"',
    ],
  ])('%s is refused', (_, request, path, message) => {
    expect(faultsOf(() => plan('select', request))).toEqual([{ path, message }])
  })

  test('a mean of strings is refused', () => {
    expect(faultsOf(() => plan('average', { metric_name_field: ['state'] }))).toEqual([
      {
        path: 'metric_name_field[0]',
        message: '"state" is a metric of type string, not a numeric metric; allowed here: "V", "count"',
      },
    ])
    expect(faultsOf(() => plan('average', {}, words))).toEqual([
      { path: 'metric_name_field', message: '"words" has no field that is a numeric metric' },
    ])
  })

  test('only the first of very many errors are reported', () => {
    const errors = faultsOf(() => plan('select', { fields: Array.from({ length: 5000 }, (_, index) => `no${index}`) }))
    expect(errors).toHaveLength(20)
    expect(errors.at(-1)?.path).toBe('fields[19]')
  })

  test('all errors are reported together', () => {
    const request = { id_name_field: 'x', fields: ['y'], metric_name_field: ['z'], start_date: 'w' }
    expect(faultsOf(() => plan('select', request)).map(({ path }) => path)).toEqual([
      'id_name_field',
      'fields[0]',
      'metric_name_field[0]',
      'start_date',
    ])
  })
})

describe('values', () => {
  const selectionOf = (request: object) => plan('select', request).selection

  test('duplicate ids are removed', () => {
    expect(selectionOf({ ids: ['b', 'a', 'b', ''] }).ids).toEqual(['b', 'a', ''])
  })

  test('prefixes are sorted, without those that another one covers', () => {
    expect(selectionOf({ prefixes: ['b', 'ab', 'a', 'abc', 'b', 'ac'] }).prefixes).toEqual(['a', 'b'])
    expect(selectionOf({ prefixes: ['a.b', 'a.', 'a%'] }).prefixes).toEqual(['a%', 'a.'])
  })

  test('the empty prefix selects everything', () => {
    expect(selectionOf({ prefixes: ['a', ''] }).prefixes).toBeNull()
  })
})

describe('snap', () => {
  test('has the ticks of its range', () => {
    const ticks = plan('snap', { start_date: '2025-12-31T22:30', granularity: 'HOUR' })
    expect(ticks).toMatchObject({ ticksMs: Float64Array.of(nowMs - 3_600_000, nowMs) })
  })

  test('requires a start, unless granularity is all', () => {
    expect(faultsOf(() => plan('snap', { granularity: 'hour', end_date: '2026-01-01' }))).toEqual([
      { path: 'start_date', message: 'it is required, unless granularity is "all": the ticks start there' },
    ])
    expect(plan('snap', { end_date: '2025-06-01' })).toMatchObject({ ticksMs: Float64Array.of(Date.UTC(2025, 5, 1)) })
  })

  test('is refused with more ticks than the limit', () => {
    expect(() => plan('snap', { start_date: '2020-01-01', granularity: 'second' })).toThrow(Problem)
  })
})

test('durations count back from now', () => {
  expect(plan('latest', { date: 'P1D' })).toMatchObject({ fromMs: nowMs - 86_400_000 })
  expect(plan('last', { date: 'P1D' })).toMatchObject({ dateMs: nowMs - 86_400_000 })
  expect(plan('next', { date: 'PT1H', offset: 3 })).toMatchObject({ dateMs: nowMs - 3_600_000, offset: 3 })
})

describe('quality', () => {
  const Q: EntityField = { name: 'Q', type: 'long', role: 'quality', coding: 'opcua' }
  const judged: Entity = { ...plant, fields: [...plant.fields, Q] }
  const good = { field: Q, words: ['good'] }

  test.each<[string, readonly ('good' | 'uncertain' | 'bad')[] | null | undefined, readonly string[]]>([
    ['left out', undefined, ['good']],
    ['null', null, ['good']],
    ['an empty list', [], ['good']],
    ['two words, in any order and repeated', ['bad', 'good', 'bad'], ['good', 'bad']],
    ['all words', ['good', 'uncertain', 'bad'], ['good', 'uncertain', 'bad']],
  ])('%s', (_, quality, words) => {
    expect(plan('select', quality === undefined ? {} : { quality }, judged).selection.quality).toEqual({
      field: Q,
      words,
    })
  })

  test('with another word than good, stored rows include the quality field and computed rows do not', () => {
    const asked = { quality: ['good', 'bad'] as const }
    for (const kind of ['select', 'latest', 'snap', 'plot'] as const)
      expect(plan(kind, asked, judged).selection.fields).toEqual([Q])
    expect(plan('last', { ...asked, date: 'PT1H', fields: ['site'] }, judged).selection.fields).toEqual([site, Q])
    expect(plan('snap', { ...asked, shape: 'line' }, judged).selection.fields).toEqual([])
    for (const kind of ['average', 'average-dimensions', 'average-granularity', 'states'] as const)
      expect(plan(kind, asked, judged).selection.fields).toEqual([])
    expect(plan('select', { quality: ['good'] }, judged).selection).toMatchObject({ quality: good, fields: [] })
  })

  test('an entity without a quality field accepts no word', () => {
    expect(plan('select', { quality: [] }).selection).not.toHaveProperty('quality')
    expect(faultsOf(() => plan('select', { quality: ['good'] }))).toEqual([
      { path: 'quality', message: '"plant" has no field of the role "quality"' },
    ])
  })
})

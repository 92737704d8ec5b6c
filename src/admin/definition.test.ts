import { expect, test } from 'vitest'
import { defaultSeriesFields, type Field } from '../model/field.ts'
import { Problem } from '../model/problem.ts'
import { addedFields, newIngest } from './definition.ts'
import type { ChangeIngest, CreateIngest } from './ingest-schemas.ts'

type NewField = NonNullable<CreateIngest['fields']>[number]

const time: NewField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: NewField = { name: 'T', type: 'string', role: 'tag' }
const metric: NewField = { name: 'V', type: 'double', role: 'metric' }
const index: NewField = { name: 'id', type: 'string', role: 'index' }

function pathsOf(work: () => unknown): readonly string[] {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid_request') throw error
    return (error.errors ?? []).map(({ path }) => path)
  }
}

const series = (fields: NewField[]): CreateIngest => ({ alias: 'a', kind: 'series', fields })
const metadata = (fields: NewField[]): CreateIngest => ({ alias: 'a', kind: 'metadata', fields })
const quality: NewField = { name: 'Q', type: 'long', role: 'quality', coding: 'opcua' }
const named = (name: string): NewField => ({ ...metric, name })
const from = (source: string): NewField => ({ ...metric, source })
const long = 'x'.repeat(128)

test.each<[string, CreateIngest, string[]]>([
  ['no fields', { alias: 'a', kind: 'series' }, []],
  ['the minimal fields', series([time, tag, metric]), []],
  ['all properties', { ...series([time, tag, metric]), entity: 'e', duplicates: 'replace' }, []],
  [
    'two tags and a dimension',
    series([time, tag, { ...tag, name: 'S' }, metric, { name: 'x', type: 'long', role: 'dimension' }]),
    [],
  ],
  ['an alias of 128 characters', { alias: long, kind: 'series' }, []],
  ['an alias of 129 characters', { alias: `${long}x`, kind: 'series' }, ['alias']],
  ['an empty alias', { alias: '', kind: 'series' }, ['alias']],
  ['an alias that starts with a digit', { alias: '1a', kind: 'series' }, ['alias']],
  ['an alias with a space', { alias: 'a b', kind: 'series' }, ['alias']],
  ['an invalid entity name', { alias: 'a', kind: 'series', entity: '-' }, ['entity']],
  ['an empty list of fields', series([]), ['fields', 'fields', 'fields']],
  ['no time field', series([tag, metric]), ['fields']],
  ['two time fields', series([time, { ...time, name: 'E' }, tag, metric]), ['fields']],
  ['no tag field', series([time, metric]), ['fields']],
  ['no metric field', series([time, tag]), ['fields']],
  ['a time field that is not a timestamp', series([{ ...time, type: 'long' }, tag, metric]), ['fields[0].type']],
  ['a tag that is not a string', series([time, { ...tag, type: 'long' }, metric]), ['fields[1].type']],
  ['a boolean metric', series([time, tag, { ...metric, type: 'boolean' }]), []],
  [
    'a json field in a series',
    series([time, tag, metric, { name: 'j', type: 'json', role: 'dimension' }]),
    ['fields[3].type'],
  ],
  ['an index field in a series', series([time, tag, metric, index]), ['fields[3].role']],
  ['a quality field', series([time, tag, metric, quality]), []],
  ['a string quality', series([time, tag, metric, { ...quality, type: 'string', coding: 'opcda' }]), []],
  ['a double quality', series([time, tag, metric, { ...quality, type: 'double' }]), ['fields[3].type']],
  ['two quality fields', series([time, tag, metric, quality, { ...quality, name: 'R' }]), ['fields']],
  ['a coding on a metric', series([time, tag, { ...metric, coding: 'opcua' }]), ['fields[2].coding']],
  ['a quality in metadata', metadata([index, quality]), ['fields[1].role']],
  ['an invalid field name', series([time, tag, named('a b')]), ['fields[2].name']],
  ['a field named __time', series([time, tag, named('__time')]), ['fields[2].name']],
  ['a field named snap', series([time, tag, named('snap')]), ['fields[2].name']],
  ['a field named Snap', series([time, tag, named('Snap')]), []],
  ['a duplicate field name', series([time, tag, metric, from('W')]), ['fields[3].name']],
  ['a duplicate source', series([time, tag, metric, { ...named('W'), source: 'V' }]), ['fields[3].source']],
  [
    'a source that is the name of another field',
    series([time, tag, metric, { ...named('W'), source: 'D' }]),
    ['fields[3].source'],
  ],
  [
    'names and sources swapped',
    series([time, tag, { ...named('A'), source: 'B' }, { ...named('B'), source: 'A' }]),
    [],
  ],
  ['an empty source', series([time, tag, from('')]), ['fields[2].source']],
  ['a source of 128 emoji', series([time, tag, from('😀'.repeat(128))]), []],
  ['a source of 129 characters', series([time, tag, from(`${long}x`)]), ['fields[2].source']],
  ['several faults at once', { ...series([tag, named('snap')]), alias: '?' }, ['alias', 'fields[1].name', 'fields']],
  ['metadata without fields', { alias: 'a', kind: 'metadata' }, ['fields']],
  [
    'metadata with an index and a json attribute',
    metadata([index, { name: 'tree', type: 'json', role: 'attribute' }]),
    [],
  ],
  ['metadata without an index', metadata([{ name: 'x', type: 'long', role: 'attribute' }]), ['fields']],
  ['metadata with two indexes', metadata([index, { ...index, name: 'id2' }]), ['fields']],
  ['a boolean index', metadata([{ ...index, type: 'boolean' }]), ['fields[0].type']],
  ['a json index', metadata([{ ...index, type: 'json' }]), ['fields[0].type']],
  ['a timestamp index', metadata([{ ...index, type: 'timestamp' }]), []],
  ['an index named limit', metadata([{ ...index, name: 'limit' }]), ['fields[0].name']],
  ['an index named NextToken', metadata([{ ...index, name: 'NextToken' }]), ['fields[0].name']],
  ['an attribute named limit', metadata([index, { name: 'limit', type: 'long', role: 'attribute' }]), []],
  ['a metric in metadata', metadata([index, metric]), ['fields[1].role']],
  ['an entity in metadata', { ...metadata([index]), entity: 'e' }, ['entity']],
  ['duplicates in metadata', { ...metadata([index]), duplicates: 'keep' }, ['duplicates']],
])('validates a new ingest: %s', (_, request, paths) => {
  expect(pathsOf(() => newIngest(request, 0))).toEqual(paths)
})

test('fills in the defaults of a new ingest', () => {
  expect(newIngest({ alias: 'a', kind: 'series' }, 5)).toEqual({
    alias: 'a',
    kind: 'series',
    entity: 'a',
    fields: defaultSeriesFields,
    duplicates: 'keep',
    createdMs: 5,
  })
  expect(newIngest(metadata([index]), 5)).toMatchObject({ entity: null, fields: [{ name: 'id', source: 'id' }] })
})

test.each<[string, 'series' | 'metadata', ChangeIngest, string[]]>([
  ['no fields', 'series', {}, []],
  ['a metric', 'series', { add_fields: [metric] }, []],
  ['a tag', 'series', { add_fields: [tag] }, []],
  ['a second time field', 'series', { add_fields: [time] }, ['add_fields[0].role']],
  ['a quality field', 'series', { add_fields: [quality] }, []],
  ['two quality fields', 'series', { add_fields: [quality, { ...quality, name: 'R' }] }, ['add_fields']],
  [
    'an attribute in a series',
    'series',
    { add_fields: [{ name: 'x', type: 'long', role: 'attribute' }] },
    ['add_fields[0].role'],
  ],
  ['an attribute', 'metadata', { add_fields: [{ name: 'x', type: 'json', role: 'attribute' }] }, []],
  ['a second index', 'metadata', { add_fields: [index] }, ['add_fields[0].role']],
  ['a duplicate field name', 'series', { add_fields: [metric, from('W')] }, ['add_fields[1].name']],
])('validates added fields: %s', (_, kind, request, paths) => {
  expect(pathsOf(() => addedFields(kind, request))).toEqual(paths)
})

test('an added field is read from the property of its name', () => {
  expect(addedFields('series', { add_fields: [metric] })).toEqual<Field[]>([
    { name: 'V', source: 'V', type: 'double', role: 'metric' },
  ])
})

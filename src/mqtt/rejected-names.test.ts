import { expect, test } from 'vitest'
import { defaultSeriesFields, type Field } from '../model/field.ts'
import { type GivenNames, rejectedNamesNote } from './rejected-names.ts'
import { topicTemplate } from './topics.ts'

const ingest = { alias: 'mq', kind: 'series', fields: defaultSeriesFields, unknown: 'reject' } as const

function given(topic: string | null, valueFields: GivenNames['valueFields'] = {}): GivenNames {
  return { template: topic === null ? null : topicTemplate(topic), valueFields }
}

const add = 'with an admin key: tidemark ingests add-fields mq --field'

test.each<[string, GivenNames, string]>([
  [
    'a level of the topic',
    given('plant/{area}/{T}'),
    `mq has no field for area: it rejects rows that have it. Add it ${add} area:string:dimension (or give another --topic).`,
  ],
  [
    'a level and value fields',
    given('{area}/{T...}', { number: 'W', text: 'S', truth: 'B' }),
    `mq has no field for area, W, S, B: it rejects rows that have them. Add them ${add} area:string:dimension,W:double:metric,S:string:metric,B:boolean:metric (or give another --topic and --value-field and --text-field and --truth-field).`,
  ],
  [
    'a name used twice',
    given(null, { text: 'S', truth: 'S' }),
    `mq has no field for S: it rejects rows that have it. Add it ${add} S:string:metric (or give another --text-field and --truth-field).`,
  ],
  [
    'a name that no field may have',
    given('{the hall}/{T}'),
    `mq has no field for the hall: it rejects rows that have it. Add it ${add} "NAME:string:dimension:the hall" (or give another --topic).`,
  ],
])('reports %s that the ingest rejects', (_, names, said) => {
  expect(rejectedNamesNote(ingest, names)).toBe(said)
})

test('compares names with the sources of fields, not with their names', () => {
  const fields: Field[] = [{ name: 'id_tag', source: 'T', type: 'string', role: 'tag' }]
  expect(rejectedNamesNote({ ...ingest, fields }, given('{T}'))).toBe(null)
  expect(rejectedNamesNote({ ...ingest, fields }, given('{id_tag}'))).toContain('NAME:string:dimension:id_tag')
})

test('suggests attributes for a metadata ingest', () => {
  const fields: Field[] = [{ name: 'id', source: 'id', type: 'string', role: 'index' }]
  const note = rejectedNamesNote({ ...ingest, kind: 'metadata', fields }, given('{area}/{id}', { number: 'W' }))
  expect(note).toContain('--field area:string:attribute,W:double:attribute (')
})

test.each<[string, typeof ingest | (Omit<typeof ingest, 'unknown'> & { unknown: 'add' }), GivenNames]>([
  ['names that the ingest has', ingest, given('plant/{D}/{T}', { number: 'V' })],
  ['topics without names', ingest, given(null)],
  ['an open ingest', { ...ingest, unknown: 'add' }, given('plant/{area}/{T}', { text: 'S' })],
])('reports nothing for %s', (_, taker, names) => {
  expect(rejectedNamesNote(taker, names)).toBe(null)
})

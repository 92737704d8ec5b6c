import { describe, expect, test } from 'vitest'
import type { EntityAnswer } from '../../client/answers.ts'
import { type DefinedIngest, differencesOf, planDefinitions, type ServiceDefinitions } from './copy-definitions.ts'

const fields = [
  { name: 'D', source: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', source: 'T', type: 'string', role: 'tag' },
  { name: 'V', source: 'V', type: 'double', role: 'metric' },
] as const
const extra = { name: 'W', source: 'w', type: 'long', role: 'metric' } as const
const counters = { received: 0, stored: 0, rejected: 0, pending: 0 }

const ingest = (changes: Partial<DefinedIngest> = {}): DefinedIngest => ({
  alias: 'plant',
  kind: 'series',
  entity: 'plant',
  fields,
  duplicates: 'keep',
  unknown: 'reject',
  lines: null,
  state: 'active',
  reason: null,
  counters,
  ...changes,
})
const entity = (changes: Partial<EntityAnswer> = {}): EntityAnswer => ({
  entity: 'plant',
  ingests: ['plant'],
  time_field: 'D',
  fields,
  duplicates: 'keep',
  retention: null,
  time_zone: null,
  shapes: {},
  max_gaps: {},
  shape_from: null,
  ...changes,
})
const service = (changes: Partial<ServiceDefinitions> = {}): ServiceDefinitions => ({
  ingests: [ingest()],
  entities: [entity()],
  rows: new Map(),
  ...changes,
})
const empty = service({ ingests: [], entities: [] })

describe('differencesOf', () => {
  test.each<[Partial<DefinedIngest>, string[]]>([
    [{}, []],
    [{ fields: fields.toReversed() }, []],
    [{ entity: 'other' }, ['its entity is plant at the source and other at the target']],
    [{ duplicates: 'replace' }, ['duplicates is keep at the source and replace at the target']],
    [{ unknown: 'add' }, ['unknown is reject at the source and add at the target']],
    [{ lines: { tag: '{a}' } }, ['lines is none at the source and {"tag":"{a}"} at the target']],
    [{ fields: [...fields, extra] }, ['the field W is missing at the source']],
    [{ fields: fields.slice(1) }, ['the field D is missing at the target']],
    [
      { fields: fields.map((field) => ({ ...field, source: 'x' })).slice(0, 1) },
      [
        'the source of the field D is D at the source and x at the target',
        'the field T is missing at the target',
        'the field V is missing at the target',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(differencesOf(ingest(), ingest(changes))).toEqual(expected)
  })
})

describe('planDefinitions', () => {
  test('creates an open ingest with its rules, and with the fields that rows added', () => {
    const rules = { duplicates: 'replace', unknown: 'add', lines: { tag: '{measurement}' } } as const
    const good = { name: 'Q', source: 'Q', type: 'long', role: 'quality', coding: 'opcua' } as const
    const open = ingest({ ...rules, fields: [...fields, good, { ...extra, added: 'by_row' }] })
    expect(planDefinitions(service({ ingests: [open] }), empty, []).create).toEqual([
      { alias: 'plant', kind: 'series', entity: 'plant', ...rules, fields: [...fields, good, extra] },
    ])
  })

  test('creates missing ingests and uses those that match', () => {
    const source = service({ ingests: [ingest(), ingest({ alias: 'tags', kind: 'metadata', entity: null })] })
    const plan = planDefinitions(source, service(), [])
    expect(plan.create.map(({ alias, entity: fed }) => [alias, fed])).toEqual([['tags', undefined]])
    expect(plan.use).toEqual(['plant'])
    expect(plan.routes.map(({ name, kind }) => [name, kind])).toEqual([
      ['plant', 'series'],
      ['tags', 'metadata'],
    ])
    expect(planDefinitions(source, empty, ['tags']).create.map(({ alias }) => alias)).toEqual(['tags'])
  })

  test('skips the internal metrics of the source unless they are requested', () => {
    const own = ingest({ alias: 'tidemark_self', entity: 'tidemark_self' })
    const source = service({
      ingests: [ingest(), own],
      entities: [entity(), entity({ entity: 'tidemark_self', ingests: ['tidemark_self'] })],
    })
    const named = (wanted: readonly string[]) => planDefinitions(source, empty, wanted).routes.map(({ name }) => name)
    expect([named([]), named(['tidemark_self'])]).toEqual([['plant'], ['tidemark_self']])
  })

  test('sends rows to the first ingest that has all fields', () => {
    const wide = [...fields, extra]
    const ingests = [ingest(), ingest({ alias: 'wide', fields: wide }), ingest({ alias: 'wider', fields: wide })]
    const source = service({ ingests, entities: [entity({ fields: wide, ingests: ['plant', 'wide', 'wider'] })] })
    const [route] = planDefinitions(source, empty, []).routes
    expect(route).toMatchObject({ name: 'plant', alias: 'wide' })
    expect(route?.note).toContain('the first of 3')
    expect(() => planDefinitions({ ...source, ingests: [ingest()] }, empty, [])).toThrow('has all of its fields')
  })

  test('creates an ingest for an entity that no longer has one', () => {
    const source = service({ ingests: [], entities: [entity({ ingests: [] })] })
    const plan = planDefinitions(source, empty, [])
    expect(plan.create).toMatchObject([{ alias: 'plant', entity: 'plant', fields }])
    expect(plan.routes[0]?.note).toContain('it has no ingest at the source')
  })

  test.each<[name: string, retention: string | null, rows: number, outcome: object | string]>([
    ['is set if the target has no rows', null, 0, [{ entity: 'plant', retention: 'P9D' }]],
    ['is unchanged if it matches', 'P9D', 5, []],
    ['is refused if it would delete rows', null, 5, 'its retention is P9D at the source and none at the target'],
    ['is refused if it differs', 'P1D', 0, 'its retention is P9D at the source and P1D at the target'],
  ])('a retention %s', (_name, retention, rows, outcome) => {
    const source = service({ entities: [entity({ retention: 'P9D' })] })
    const target = service({ entities: [entity({ retention })], rows: new Map([['plant', rows]]) })
    if (typeof outcome === 'string') expect(() => planDefinitions(source, target, [])).toThrow(outcome)
    else expect(planDefinitions(source, target, []).retain).toEqual(outcome)
  })

  test.each<[source: 'active' | 'blocked', target: 'active' | 'blocked', outcome: object | string]>([
    ['active', 'active', []],
    ['blocked', 'active', [{ alias: 'plant', reason: 'moved' }]],
    ['blocked', 'blocked', [{ alias: 'plant', reason: 'moved' }]],
    ['active', 'blocked', 'plant: it is blocked only at the target'],
  ])('plans the state of an ingest that is %s at the source and %s at the target', (here, there, outcome) => {
    const source = service({ ingests: [ingest({ state: here, reason: 'moved' })] })
    const target = service({ ingests: [ingest({ state: there })] })
    if (typeof outcome === 'string') expect(() => planDefinitions(source, target, [])).toThrow(outcome)
    else expect(planDefinitions(source, target, []).block).toEqual(outcome)
  })
})

import { expect, test } from 'vitest'
import { overHours, wholeHours } from './kept-hours.ts'
import { questionOf } from './question.ts'
import { type View, viewOf } from './view.ts'
import { expiredNotes } from './words.ts'

const at = (iso: string): number => Date.parse(iso)
const entity = {
  rows_from: '2026-03-01T00:00:00.000Z',
  fields: [
    { name: 'V', type: 'double', role: 'metric' },
    { name: 'on', type: 'boolean', role: 'metric' },
  ] as const,
}
const expiring = { pixels: 800, entity: { ...entity, fields: [...entity.fields] } }
const span = { fromMs: at('2026-02-20T10:37:00Z'), toMs: at('2026-03-03T10:37:00Z') }
const view = (part: Partial<View>): View => ({
  ...viewOf(new URLSearchParams('entity=plant&tag=a&field=V&zone=Europe/Madrid')),
  ...part,
})

test.each<[part: Partial<View>, drawn: Partial<View>]>([
  [{}, { how: 'band', granularity: 'hour', zone: 'Europe/Madrid' }],
  // Left over from another way of drawing.
  [{ granularity: 'year' }, { how: 'band', granularity: 'hour' }],
  [{ how: 'average' }, { how: 'average', granularity: 'hour' }],
  [{ how: 'average', granularity: 'minute' }, { granularity: 'hour' }],
  [{ how: 'average', granularity: 'PT90M' }, { granularity: 'hour' }],
  [
    { how: 'time_mean', granularity: 'day' },
    { how: 'time_mean', granularity: 'day' },
  ],
  [{ how: 'rise' }, { how: 'rise', granularity: 'six_hour' }],
  [{ fields: ['on', 'V'] }, { how: 'band', fields: ['V'] }],
  [{ zone: 'Asia/Kathmandu' }, { zone: 'UTC' }],
])('%j before the first retained row is drawn from hours: %j', (part, drawn) => {
  const made = overHours(view(part), span, expiring)
  expect(made).toMatchObject({ kept: 'hours', view: drawn })
  expect(made.span).toEqual({ fromMs: at('2026-02-20T10:00:00Z'), toMs: span.toMs })
  // The request starts with a full hour, as the service requires.
  expect(questionOf(made.view, made.span, 800).request).toMatchObject({ start_date: '2026-02-20T10:00:00.000Z' })
})

test.each<Partial<View>>([
  { how: 'select' },
  { how: 'states' },
  { how: 'snap' },
  { how: 'latest' },
  { fields: ['on'] },
])('%j needs rows, so its range begins at the first retained row', (part) => {
  const { view: drawn, span: shown, kept } = overHours(view(part), span, expiring)
  expect([drawn, kept]).toEqual([view(part), 'rows'])
  expect(shown).toEqual({ fromMs: at(entity.rows_from), toMs: span.toMs })
})

test('draws what was requested when rows are retained, or when the service must report that none are', () => {
  const later = { fromMs: at(entity.rows_from), toMs: span.toMs }
  const before = { fromMs: span.fromMs, toMs: span.fromMs + 1 }
  const none = { pixels: 800, entity: { fields: [...entity.fields] } }
  const cases = [
    overHours(view({}), later, expiring),
    overHours(view({ how: 'select' }), before, expiring),
    overHours(view({}), span, none),
    overHours(view({}), span, { ...none, entity: { ...none.entity, rows_from: null } }),
  ]
  expect(cases.map(({ kept, view: { how } }) => [kept, how])).toEqual([
    [null, 'auto'],
    [null, 'select'],
    [null, 'auto'],
    [null, 'auto'],
  ])
})

test('the end of a range before the first retained row is rounded up to a full hour', () => {
  const inside = { fromMs: span.fromMs, toMs: at('2026-02-20T11:05:00Z') }
  expect(wholeHours(inside, entity)).toEqual({ fromMs: at('2026-02-20T10:00:00Z'), toMs: at('2026-02-20T12:00:00Z') })
})

test('the notes state from when rows are retained, and what is drawn before that', () => {
  const notes = (part: Partial<View>): string[] => {
    const asked = view(part)
    return expiredNotes({ asked, ...overHours(asked, span, expiring) }, entity)
  }
  const from = 'Rows are kept from 2026-03-01 01:00:00'
  const hours = `${from}, and only hours before that:`
  expect(notes({})).toEqual([`${hours} mean, least and greatest are drawn by whole hours.`])
  expect(notes({ how: 'average' })).toEqual([`${hours} the chart is drawn by whole hours.`])
  expect(notes({ how: 'select' })).toEqual([`${from}; earlier data is not drawn, because this chart needs rows.`])
  expect(notes({ fields: ['on', 'V'] })[1]).toBe('There are no hours of on.')
  expect(notes({ zone: 'Asia/Kathmandu' })[1]).toBe('Buckets begin in UTC, as the hours do.')
})

import { expect, test } from 'vitest'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { linesOfShown, withEarlierRange } from './lines-of-shown.ts'
import type { Shown } from './use-rows.ts'
import { viewOf } from './view.ts'

const entity = {
  time_field: 'D',
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ],
} as unknown as EntityDescription
const at = (minute: number): string => new Date(minute * 60_000).toISOString()

/** An item in a range of minutes; `drawnFrom` is the start of the range for which hours exist. */
function shownOf(minute: number, from: number, drawnFrom = from): Shown {
  const view = { ...viewOf(new URLSearchParams('field=V')), how: 'select', shift: 'P1D' }
  const span = { fromMs: drawnFrom * 60_000, toMs: (from + 60) * 60_000 }
  const table = { columns: ['D', 'T', 'V'], rows: [[at(minute), 'a', 1]] }
  const question = { request: {} }
  return {
    view,
    asked: { ...view, from: at(from) },
    span,
    table,
    question,
    edges: [],
    nowMs: span.toMs,
  } as unknown as Shown
}

test('an earlier item is drawn at the same offset from the start of the requested range', () => {
  const shown = shownOf(1450, 1445)
  const own = linesOfShown(shown, entity, null)
  const { data } = withEarlierRange(own, shown, shownOf(12, 5, 0), entity)
  expect(data[0]).toEqual([1450 * 60, 1452 * 60])
  expect(withEarlierRange(own, shown, null, entity)).toBe(own)
})

// Describes the drawn data in words.
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { msIn, type RowTable } from '../../parts/rows-stream.ts'
import type { Span } from '../../parts/span.ts'
import { clockText } from '../../parts/zoned-time.ts'
import { type Buckets, stepText } from './buckets.ts'
import { shiftText } from './compared.ts'
import { shapeOf } from './drawn-fields.ts'
import { keyOf } from './lines.ts'
import { timeOf } from './question.ts'
import type { Shown } from './use-rows.ts'
import { firstDate, type How, tagsShown } from './view.ts'

const bucketed: Readonly<Partial<Record<How, string>>> = {
  average: 'Mean of items',
  time_mean: 'Mean over time',
  band: 'Mean, least and greatest',
  rise: 'Rise',
  states: 'Time in each state',
  snap: 'State',
}

export function titleOf({ view, question, table, span, pixels }: Shown, entity: EntityDescription): string {
  const name = bucketed[view.how]
  if (name !== undefined) return `${name}, every ${stepText(question.request.granularity ?? '')}`
  if (view.how === 'latest') return 'Newest items'
  if (view.how === 'select') return 'Items'
  const types = entity.fields.filter((field) => view.fields.includes(field.name)).map(({ type }) => type)
  if (types.every((type) => type === 'boolean')) return 'Each change'
  const columns = { time: timeOf(view.how, entity), tags: tagsShown(view, entity) }
  return !types.includes('boolean') && isEveryItem(table, columns, span, pixels)
    ? 'Every item'
    : 'First, last, least and greatest item of each pixel'
}

const atCursors: Readonly<Partial<Record<How, string>>> = {
  average: 'means of items',
  time_mean: 'means over time',
  band: 'means',
  rise: 'rises',
}

/** Describes the values at the cursors, if they are not those of items. */
export function cursorNote(how: How, granularity = ''): string {
  const values = atCursors[how]
  return values === undefined
    ? ''
    : `A and B show ${values}, every ${stepText(granularity)}: the values of buckets that begin there.`
}

/** Whether `plot` omitted nothing: a pixel with a single item of a tag has no others. */
export function isEveryItem(
  table: RowTable,
  { time, tags }: { time: string; tags: readonly string[] },
  { fromMs, toMs }: Span,
  pixels: number,
): boolean {
  const msOf = msIn(table, time)
  const tagsAt = tags.map((tag) => table.columns.indexOf(tag))
  const pixelOf = new Map<string, number>()
  return table.rows.every((row) => {
    const key = keyOf(row, tagsAt)
    const pixel = Math.min(pixels - 1, Math.floor(((msOf(row) - fromMs) / (toMs - fromMs)) * pixels))
    const isAlone = pixelOf.get(key) !== pixel
    pixelOf.set(key, pixel)
    return isAlone
  })
}

/** Notes about what is drawn in place of expired rows. */
export function expiredNotes(
  { asked, view, kept }: Pick<Shown, 'asked' | 'view' | 'kept'>,
  { rows_from }: Pick<EntityDescription, 'rows_from'>,
): string[] {
  if (kept === null) return []
  const from = `Rows are kept from ${clockText(Date.parse(rows_from ?? ''), asked.zone)}`
  if (kept === 'rows') return [`${from}; earlier data is not drawn, because this chart needs rows.`]
  const left = asked.fields.filter((field) => !view.fields.includes(field))
  return [
    `${from}, and only hours before that: ${asked.how === 'auto' ? 'mean, least and greatest are drawn' : 'the chart is drawn'} by whole hours.`,
    ...(left.length === 0 ? [] : [`There are no hours of ${left.join(', ')}.`]),
    ...(asked.zone === view.zone ? [] : ['Buckets begin in UTC, as the hours do.']),
  ]
}

/** When an entity has items. Only Explore has the button `All` next to its charts. */
export function wholeText(
  entity: Pick<EntityDescription, 'hours_from' | 'first_date' | 'last_date'>,
  zone: string,
  hasAll: boolean,
): string {
  const [first, last] = [firstDate(entity), entity.last_date]
  if (first === null || last === null) return 'The entity has no items yet.'
  const text = (iso: string): string => clockText(Date.parse(iso), zone)
  return `The entity has items from ${text(first)} to ${text(last)} (${zone}).${hasAll ? ' “All” shows that range.' : ''}`
}

/** Notes for reading the chart. */
export function notesOf(
  shown: Shown,
  entity: EntityDescription,
  buckets: Buckets | null,
  earlier: Shown | null,
): string[] {
  const { view, table } = shown
  const notes = [
    ...expiredNotes(shown, entity),
    ...(earlier === null
      ? []
      : expiredNotes(earlier, entity).map((note) => `${shiftText(earlier.view.shift)}: ${note}`)),
  ]
  const { how, fields } = view
  if (how === 'auto' || how === 'select') {
    const steps = fields.filter((field) => shapeOf(field, entity) === 'step')
    if (steps.length > 0) notes.push(`${steps.join(', ')}: a value holds until the next item.`)
  }
  if (buckets !== null && how !== 'snap' && table.rows.length > 0) {
    const msOf = msIn(table, timeOf(how, entity))
    const ends = [
      ['first', table.rows[0]],
      ['last', table.rows.at(-1)],
    ] as const
    const cut = ends.filter(([, row]) => buckets.isPartial(msOf(row) / 1000)).map(([name]) => name)
    if (cut.length > 0) {
      notes.push(
        `The ${cut.join(' and the ')} bucket ${cut.length === 1 ? 'is' : 'are'} not whole${how === 'states' ? '' : ': dashed'}.`,
      )
    }
  }
  return notes
}

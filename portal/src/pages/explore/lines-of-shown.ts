import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { Buckets } from './buckets.ts'
import { drawnFields } from './drawn-fields.ts'
import { type Lines, linesOf } from './lines.ts'
import { timeOf } from './question.ts'
import type { Shown } from './use-rows.ts'
import { tagsShown } from './view.ts'

/** What came, as lines; the `buckets` are those of an answer in buckets. */
export function linesOfShown(shown: Shown, entity: EntityDescription, buckets: Buckets | null): Lines {
  const { view, question, table, edges, span, pixels, nowMs } = shown
  const { granularity } = question.request
  const fields = drawnFields(entity, { view, span, pixels, granularity })
  const cut =
    view.how === 'snap' || buckets === null ? {} : { bucketsFrom: buckets.fromSecond, isPartial: buckets.isPartial }
  const untilSecond = Math.min(span.toMs, nowMs) / 1000
  const columns = { time: timeOf(view.how, entity), tags: tagsShown(view, entity), fields, untilSecond, ...cut }
  return linesOf(table, columns, edges)
}

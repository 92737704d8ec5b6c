import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { Buckets } from './buckets.ts'
import { shiftText, withEarlier } from './compared.ts'
import { drawnFields } from './drawn-fields.ts'
import { type Lines, linesOf } from './lines.ts'
import { timeOf } from './question.ts'
import type { Shown } from './use-rows.ts'
import { tagsShown } from './view.ts'

/** Results as lines; `buckets` are those of a response in buckets. */
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

/** The shown lines with those of an earlier time over them. */
export function withEarlierRange(own: Lines, shown: Shown, earlier: Shown | null, entity: EntityDescription): Lines {
  if (earlier === null) return own
  // Uses the requested range: for kept hours the drawn range may be slightly longer.
  const bySeconds = (shown.span.fromMs - Date.parse(earlier.asked.from)) / 1000
  return withEarlier(own, linesOfShown(earlier, entity, null), bySeconds, shiftText(earlier.view.shift))
}

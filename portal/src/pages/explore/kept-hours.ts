// For an entity whose rows expire while their hours stay: what is drawn of a range that begins before its rows.
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { parseGranularity } from '../../../../src/model/granularity.ts'
import type { Span } from '../../parts/span.ts'
import { localMsOf } from '../../parts/zoned-time.ts'
import { fittingGranularity } from './question.ts'
import { drawable, type How, type View } from './view.ts'

export type Expiring = Pick<EntityDescription, 'fields' | 'rows_from'>

export interface Drawn {
  readonly view: View
  readonly span: Span
  /** For a range that begins before the rows: whether its hours or only its later rows are drawn. Null for other ranges. */
  readonly kept: 'hours' | 'rows' | null
}

const hourMs = 3_600_000
const answeredByHours: readonly How[] = ['auto', 'average', 'time_mean', 'band', 'rise']

/** What can be drawn of a view: hours if they suffice, else the range from the first row on. */
export function overHours(view: View, span: Span, { pixels, entity }: { pixels: number; entity: Expiring }): Drawn {
  const rowsFromMs = Date.parse(entity.rows_from ?? '')
  if (!(span.fromMs < rowsFromMs)) return { view, span, kept: null }
  const numbers = drawable('band', entity).map(({ name }) => name)
  const fields = view.fields.filter((name) => numbers.includes(name))
  if (answeredByHours.includes(view.how) && fields.length > 0) {
    const whole = wholeHours(span, entity)
    return { view: byHours({ ...view, fields }, whole, pixels), span: whole, kept: 'hours' }
  }
  // For a range without any rows, the service itself reports from when on there are rows.
  return span.toMs < rowsFromMs
    ? { view, span, kept: null }
    : { view, span: { fromMs: rowsFromMs, toMs: span.toMs }, kept: 'rows' }
}

/** The range extended to whole hours at each end that is before the rows. */
export function wholeHours({ fromMs, toMs }: Span, { rows_from }: Pick<EntityDescription, 'rows_from'>): Span {
  const rowsFromMs = Date.parse(rows_from ?? '')
  return {
    fromMs: fromMs < rowsFromMs ? Math.floor(fromMs / hourMs) * hourMs : fromMs,
    toMs: toMs < rowsFromMs ? Math.ceil(toMs / hourMs) * hourMs : toMs,
  }
}

function byHours(view: View, span: Span, pixels: number): View {
  const how = view.how === 'auto' ? 'band' : view.how
  const isChosen = view.how !== 'auto' && view.granularity !== ''
  const granularity = isChosen ? view.granularity : fittingGranularity(how, span, pixels)
  const buckets = parseGranularity(granularity)
  const isFiner = buckets?.kind === 'uniform' && buckets.widthMs % hourMs !== 0
  // Hours are UTC hours, which do not match the hours of a zone with a half-hour offset.
  const isWhole = [span.fromMs, span.toMs].every((ms) => (localMsOf(ms, view.zone) - ms) % hourMs === 0)
  return { ...view, how, granularity: isFiner ? 'hour' : granularity, zone: isWhole ? view.zone : 'UTC' }
}

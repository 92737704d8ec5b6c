import { shifted } from './compared.ts'
import { type Rows, type RowsRequest, type Shown, useRows } from './use-rows.ts'
import { fixed, type How } from './view.ts'

const comparable: readonly How[] = ['auto', 'average', 'time_mean', 'band', 'select', 'snap']

export const isComparable = (how: How): boolean => comparable.includes(how)

/** The shown data at an earlier time, queried after the shown data has arrived. Null without a comparison. */
export function useEarlier(
  shown: Shown | null,
  { view, entity, pixels, time }: RowsRequest,
): Pick<Rows, 'shown' | 'error'> {
  const isAsked = view.shift !== '' && shown !== null && isComparable(view.how)
  const span = isAsked ? shifted(shown.span, view.shift, view.zone) : null
  const granularity = shown?.question.request.granularity ?? view.granularity
  const before = { ...view, ...(span === null ? {} : fixed(span)), granularity, live: false }
  const rows = useRows({ view: before, entity, pixels, time }, span !== null)
  if (!isAsked) return { shown: null, error: null }
  if (span === null) return { shown: null, error: new Error('This is not a duration, such as P7D.') }
  // Results for another shift, or for other tags, are not drawn over the current data.
  const isThis = rows.shown?.asked.from === before.from && !rows.stale
  const earlier =
    isThis && rows.shown !== null ? { ...rows.shown, view: { ...rows.shown.view, shift: view.shift } } : null
  return { shown: earlier, error: rows.error }
}

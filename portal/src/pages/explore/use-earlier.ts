import { shifted } from './compared.ts'
import { type Asking, type Rows, type Shown, useRows } from './use-rows.ts'
import { fixed, type How } from './view.ts'

const comparable: readonly How[] = ['auto', 'average', 'time_mean', 'band', 'select', 'snap']

export const isComparable = (how: How): boolean => comparable.includes(how)

/** What is shown, as it was some time before: asked for once that is there. Nothing where it is compared with nothing. */
export function useEarlier(shown: Shown | null, { view, entity, pixels, time }: Asking): Pick<Rows, 'shown' | 'error'> {
  const isAsked = view.shift !== '' && shown !== null && isComparable(view.how)
  const span = isAsked ? shifted(shown.span, view.shift, view.zone) : null
  const granularity = shown?.question.request.granularity ?? view.granularity
  const before = { ...view, ...(span === null ? {} : fixed(span)), granularity, live: false }
  const rows = useRows({ view: before, entity, pixels, time }, span !== null)
  if (!isAsked) return { shown: null, error: null }
  if (span === null) return { shown: null, error: new Error('This is no duration, such as P7D.') }
  // What came for another shift, or for other tags, is not drawn over this.
  const isThis = rows.shown?.asked.from === before.from && !rows.stale
  const earlier =
    isThis && rows.shown !== null ? { ...rows.shown, view: { ...rows.shown.view, shift: view.shift } } : null
  return { shown: earlier, error: rows.error }
}

import { useMemo, useRef, useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { parseGranularity } from '../../../../src/model/granularity.ts'
import { lineColor } from '../../parts/chart.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import type { Span } from '../../parts/span.ts'
import { clockText } from '../../parts/zoned-time.ts'
import { useStore } from '../../shell/store.ts'
import { shownTheme } from '../../shell/theme.ts'
import { linesOfShown } from './lines-of-shown.ts'
import { timeOf } from './question.ts'
import { slid, slidByKey, stripAreas, stripGranularity, stripSize, wholeSpan } from './strip.ts'
import { type Rows, useRows } from './use-rows.ts'
import { drawable, firstDate, fixed, type View } from './view.ts'

/** The resolution of the strip, whatever its width: it is only an overview. */
const stripPixels = 300

/** The data of the strip, queried after the chart has its own. */
export function useStripRows(view: View, entity: EntityDescription, ready: boolean): Rows {
  const numbers = drawable('band', entity).map(({ name }) => name)
  const fields = view.fields.filter((name) => numbers.includes(name))
  const [from, to] = [firstDate(entity), entity.last_date]
  const range = { range: '', from: from ?? '', to: to ?? '', live: false }
  const granularity = stripGranularity({ fromMs: Date.parse(from ?? ''), toMs: Date.parse(to ?? '') }, stripPixels)
  const whole: View = { ...view, ...range, granularity, zone: 'UTC', how: 'band', fields }
  const isAsked = ready && fields.length > 0 && from !== null && from !== to
  return useRows({ view: whole, entity, pixels: stripPixels, time: timeOf('band', entity) }, isAsked)
}

interface Props {
  /** The range of the chart above, shown or requested. */
  readonly span: Span
  readonly rows: Rows
  readonly entity: EntityDescription
  readonly zone: string
  onSpan(part: Partial<View>): void
}

/** The whole time of the entity, with the shown range as a window that can be moved by dragging and with keys. */
export function OverviewStrip({ span, rows: { shown, stale, error }, entity, zone, onSpan }: Props) {
  const theme = useStore(shownTheme)
  const container = useRef<HTMLDivElement>(null)
  const [dragged, drag] = useState<{ readonly from: number; readonly span: Span } | null>(null)
  // Dragging redraws the window, but not the lines.
  const lines = useMemo(
    () => (shown === null || stale ? null : linesOfShown(shown, entity, null)),
    [shown, stale, entity],
  )
  const whole = wholeSpan(entity, span)
  const buckets = parseGranularity(shown?.question.request.granularity ?? '')
  const bucketMs = buckets?.kind === 'uniform' ? buckets.widthMs : 0
  const areas = useMemo(
    () => (lines === null || whole === null ? [] : stripAreas(lines, whole, bucketMs)),
    [lines, whole?.fromMs, whole?.toMs, bucketMs],
  )
  if (whole === null || whole.toMs === whole.fromMs) return null
  const lengthMs = whole.toMs - whole.fromMs
  const share = (ms: number): string => `${(100 * ms) / lengthMs}%`
  const window = dragged?.span ?? span
  const text = (ms: number): string => clockText(ms - (ms % 1000), zone)
  const msAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = container.current!.getBoundingClientRect()
    return whole.fromMs + Math.round(((clientX - left) / width) * (lengthMs / 1000)) * 1000
  }
  const show = (next: Span | null): void => {
    if (next !== null && next.fromMs !== span.fromMs) onSpan({ ...fixed(next), live: false })
  }
  const begin = (event: PointerEvent): void => {
    if (event.button !== 0) return
    container.current!.setPointerCapture(event.pointerId)
    const at = msAt(event)
    // A press outside the window moves it there.
    const begun = event.target !== container.current ? span : slid(span, at - (span.fromMs + span.toMs) / 2, whole)
    drag({ from: at - begun.fromMs, span: begun })
  }
  return (
    <>
      <ProblemNote of="Overview of the whole range" error={error} />
      <div
        ref={container}
        class="strip"
        onPointerDown={begin}
        onPointerMove={(event) =>
          dragged !== null && drag({ ...dragged, span: slid(span, msAt(event) - dragged.from - span.fromMs, whole) })
        }
        onPointerUp={() => {
          drag(null)
          if (dragged !== null) show(dragged.span)
        }}
        onPointerCancel={() => drag(null)}
      >
        <svg aria-hidden="true" viewBox={`0 0 ${stripSize.width} ${stripSize.height}`} preserveAspectRatio="none">
          {areas.flatMap(({ color, areas }) =>
            areas.map((points) => (
              <polygon key={`${color} ${points}`} points={points} style={{ color: lineColor(color, theme) }} />
            )),
          )}
        </svg>
        <div
          class="strip-window"
          role="slider"
          tabIndex={0}
          aria-label="Shown window of the whole range"
          aria-valuemin={whole.fromMs}
          aria-valuemax={whole.toMs - (span.toMs - span.fromMs)}
          aria-valuenow={window.fromMs}
          aria-valuetext={`${text(window.fromMs)} to ${text(window.toMs)}`}
          style={{ left: share(window.fromMs - whole.fromMs), width: share(window.toMs - window.fromMs) }}
          onKeyDown={(event) => {
            const next = slidByKey(span, event.key, whole)
            if (next !== null) event.preventDefault()
            show(next)
          }}
        />
      </div>
      <p class="strip-ends soft small">
        <span>{text(whole.fromMs)}</span>
        {dragged !== null && (
          <span>
            {text(window.fromMs)} – {text(window.toMs)}
          </span>
        )}
        <span>{text(whole.toMs)}</span>
      </p>
    </>
  )
}

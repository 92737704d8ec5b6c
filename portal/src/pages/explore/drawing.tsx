import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { BigTable } from '../../parts/big-table.tsx'
import { plural } from '../../parts/formats.ts'
import { Empty, Panel } from '../../parts/layout.tsx'
import { PinAll } from '../../parts/pin-button.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { clockText, zoneText } from '../../parts/zoned-time.ts'
import { SaveView } from '../views/save-view.tsx'
import { bucketsOf } from './buckets.ts'
import { type DrawnProps, LineChart, StateChart } from './charts.tsx'
import { shiftText } from './compared.ts'
import { DeleteDrawn, DeletedRows, mayCorrect } from './deleted-rows.tsx'
import { type Lines, linesMax } from './lines.ts'
import { linesOfShown, withEarlierRange } from './lines-of-shown.ts'
import { OverviewStrip, useStripRows } from './overview-strip.tsx'
import { timeOf } from './question.ts'
import { SaveAndCopy } from './save-and-copy.tsx'
import { SmallCharts } from './small-charts.tsx'
import { useEarlier } from './use-earlier.ts'
import { usePixels } from './use-pixels.ts'
import { type Shown, useRows } from './use-rows.ts'
import { rangeOf, tagsShown, type View } from './view.ts'
import { notesOf, titleOf, wholeText } from './words.ts'

interface Props {
  readonly view: View
  readonly entity: EntityDescription
  onChange(part: Partial<View>): void
}

export function Drawing(props: Props) {
  const { room, pixels } = usePixels()
  return <div ref={room}>{pixels !== null && <Asked {...props} pixels={pixels} />}</div>
}

/** The resolution of small charts, which are used for more lines than one chart can show. */
const smallPixels = 300

function Asked({ view, entity, onChange, ...room }: Props & { readonly pixels: number }) {
  const pixels = view.tags.length * view.fields.length > linesMax ? Math.min(smallPixels, room.pixels) : room.pixels
  const ready = view.tags.length > 0 && view.fields.length > 0
  const rows = useRows({ view, entity, pixels, time: timeOf(view.how, entity) }, ready)
  const earlier = useEarlier(rows.shown, { view, entity, pixels, time: timeOf(view.how, entity) })
  const strip = useStripRows(view, entity, rows.shown !== null)
  const [round, nextRound] = useState(0)
  const corrected = (): void => {
    nextRound((count) => count + 1)
    rows.again()
    strip.again()
  }
  if (!ready) {
    return (
      <Panel title="Nothing chosen yet">
        <Empty title={view.tags.length === 0 ? 'Choose a tag' : 'Choose a field'}>
          <p>
            Type how the tag begins and choose one, or several: each is a line. Drag over the chart to look closer, and
            go Back. The address holds all of it, and can be shared.
          </p>
        </Empty>
      </Panel>
    )
  }
  const { shown, stale, busy, error } = rows
  const drawn = (
    <Panel
      title={
        <>
          {shown === null ? 'Items' : titleOf(shown, entity)}{' '}
          <span class="soft small" role="status">
            {busy ? `loading… ${rows.rows > 0 ? plural(rows.rows, 'row') : ''}` : summary(shown)}
          </span>
        </>
      }
      tools={
        <>
          {busy && (
            <button type="button" class="button slim" onClick={rows.stop}>
              Stop
            </button>
          )}
          <PinAll entity={view.entity} tags={view.tags} />
          {shown !== null && !busy && !stale && <SaveAndCopy shown={shown} entity={entity} />}
          <SaveView view={view} />
          {shown !== null && !stale && shown.view.how !== 'latest' && mayCorrect() && (
            <DeleteDrawn shown={shown} entity={entity} onDeleted={corrected} />
          )}
        </>
      }
    >
      <ProblemNote error={error} />
      <ProblemNote of={shiftText(view.shift)} error={earlier.error} />
      {shown === null && error === null && !busy && (
        <Empty title="Stopped">
          <button type="button" class="button slim" onClick={rows.again}>
            Run again
          </button>
        </Empty>
      )}
      {shown !== null && (
        <ShownAnswer shown={shown} stale={stale}>
          <Charts
            shown={shown}
            earlier={earlier.shown}
            axes={view}
            zone={view.zone}
            entity={entity}
            below={
              <OverviewStrip
                span={rangeOf(view, shown.nowMs) ?? shown.span}
                rows={strip}
                entity={entity}
                zone={view.zone}
                onSpan={onChange}
              />
            }
            onChange={onChange}
          />
          {shown.table.rows.length > 0 && <BigTable name="Items" table={shown.table} height={340} zone={view.zone} />}
        </ShownAnswer>
      )}
    </Panel>
  )
  return (
    <div class="stack">
      {drawn}
      {mayCorrect() && <DeletedRows entity={view.entity} round={round} onTakenBack={corrected} />}
    </div>
  )
}

function summary(shown: Shown | null): string {
  return shown === null ? '' : `${plural(shown.table.rows.length, 'row')}, ${Math.round(shown.ms)} ms`
}

interface ShownAnswerProps {
  readonly shown: Shown
  readonly stale: boolean
  readonly children: ComponentChildren
}

/** The results, and the tags whose query failed. */
export function ShownAnswer({ shown, stale, children }: ShownAnswerProps) {
  return (
    <div class={stale ? 'stale' : undefined} aria-busy={stale}>
      {shown.faults.map(({ tag, error }) => (
        <ProblemNote key={tag} of={tag} error={error} />
      ))}
      {children}
    </div>
  )
}

/** Draws a response, or says that there is nothing to draw. */
export function Charts(props: DrawnProps & { readonly earlier?: Shown | null }) {
  const { shown, earlier = null, entity, zone, isInSavedView = false } = props
  const { view, question, table, edges, span, nowMs } = shown
  const { granularity } = question.request
  const time = timeOf(view.how, entity)
  const tags = tagsShown(view, entity)
  const buckets = useMemo(
    () => (granularity === undefined ? null : bucketsOf(table, time, { granularity, zone: view.zone, span, nowMs })),
    [shown],
  )
  const own = useMemo(() => linesOfShown(shown, entity, buckets), [shown, tags.join()])
  const lines = useMemo(() => withEarlierRange(own, shown, earlier, entity), [own, earlier])
  const isDrawn = table.rows.length > 0 || isAcross(lines, span.fromMs / 1000, span.toMs / 1000)
  if (!isDrawn) {
    const text = (iso: string): string => clockText(Date.parse(iso), zone)
    const nearest = edges.flatMap(({ columns, rows }) => rows.map((row) => String(row[columns.indexOf(time)]))).sort()
    return (
      <div class="inside">
        <Empty title="No items in this range">
          {nearest.length > 0 && (
            <p>The nearest items of these tags are at {[...new Set(nearest)].map(text).join(', ')}.</p>
          )}
          <p>{wholeText(entity, zone, !isInSavedView)}</p>
        </Empty>
        {props.below}
      </div>
    )
  }
  const notes = notesOf(shown, entity, buckets, earlier)
  if (view.how === 'latest') return null
  return (
    <div class="inside">
      {view.how === 'states' ? (
        <StateChart {...props} buckets={buckets!} />
      ) : own.left > 0 ? (
        <SmallCharts {...props} earlier={earlier} buckets={buckets} />
      ) : (
        <LineChart {...props} lines={lines} buckets={buckets} />
      )}
      <p class="soft small chart-notes">{[...notes, `Times are in ${zoneText(zone, span.toMs)}.`].join(' ')}</p>
    </div>
  )
}

/** Whether a line crosses the range between the items next to it. */
function isAcross({ data: [seconds, ...columns] }: Lines, from: number, to: number): boolean {
  return columns.some((values) => {
    const known = seconds.filter((_, place) => typeof values[place] === 'number')
    return known.some((second) => second <= to) && known.some((second) => second >= from)
  })
}

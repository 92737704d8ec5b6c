// The charts of a response: lines with their legend, and states with their totals.
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { Chart, type ChartProps, lineColor, mutedColor, type Scale, variable } from '../../parts/chart.tsx'
import { countText, durationText, plural } from '../../parts/formats.ts'
import { useQuery } from '../../shell/asking.ts'
import { useStore } from '../../shell/store.ts'
import { shownTheme } from '../../shell/theme.ts'
import { axesOf } from './axes.ts'
import { paintBars } from './bars.ts'
import type { Buckets } from './buckets.ts'
import { CursorBar } from './cursor-bar.tsx'
import { type Cursors, moved, nearestPlace, picked, valueSeconds } from './cursors.ts'
import { LineLegend } from './line-legend.tsx'
import type { Lines } from './lines.ts'
import { timeOf } from './question.ts'
import { paintStrips, type State, type Strip, stripsOf } from './states.ts'
import { tagTexts, unitOf } from './tag-texts.ts'
import type { Shown } from './use-rows.ts'
import { type Axes, fixed, limitOf, tagsShown, type View } from './view.ts'
import { cursorNote } from './words.ts'

export interface DrawnProps {
  readonly shown: Shown
  readonly axes: Axes
  readonly zone: string
  readonly entity: EntityDescription
  /** The height of line charts, in pixels. */
  readonly height?: number
  /** Whether the chart belongs to a saved view, so that its axes stay as saved. */
  readonly isInSavedView?: boolean
  /** Content between the chart and its legend. */
  readonly below?: ComponentChildren
  onChange(part: Partial<View>): void
}

/** The properties that all charts of a range share. */
export function framed({
  shown: { span },
  zone,
  height = 340,
  onChange,
}: DrawnProps): Pick<ChartProps, 'height' | 'from' | 'to' | 'zone' | 'onZoom'> {
  // Rounds to a unit that is still visible, so that typed times stay readable.
  const spanMs = span.toMs - span.fromMs
  const unitMs = spanMs > 60_000_000 ? 60_000 : spanMs > 1_000_000 ? 1000 : 1
  const rounded = (ms: number): number => Math.round(ms / unitMs) * unitMs
  return {
    height,
    from: span.fromMs / 1000,
    to: span.toMs / 1000,
    zone,
    onZoom: (fromMs, toMs) => onChange({ ...fixed({ fromMs: rounded(fromMs), toMs: rounded(toMs) }), live: false }),
  }
}

/** The scale as chosen by the user. */
export const scaleOf = ({ log, least, greatest }: Axes): Scale => ({
  isLog: log,
  least: limitOf(least),
  greatest: limitOf(greatest),
})

export function LineChart(props: DrawnProps & { readonly lines: Lines; readonly buckets: Buckets | null }) {
  const { shown, entity, lines, buckets, axes, zone, isInSavedView = false, onChange } = props
  const { right } = axes
  const texts = useQuery(tagTexts, ['tag texts']).value
  const units = lines.tags.map((tag, place) => unitOf(texts?.get(tag), lines.metrics[place]!, entity))
  const [cursor, setCursor] = useState<number | null>(null)
  const [hidden, hide] = useState<ReadonlySet<string>>(new Set())
  const [focus, setFocus] = useState<number | null>(null)
  const [marked, setMarked] = useState<readonly number[] | null>(null)
  const [kept, setCursors] = useState<Cursors | null>(null)
  const theme = useStore(shownTheme)
  const [fromSecond, untilSecond] = [shown.span.fromMs / 1000, shown.span.toMs / 1000]
  const seconds = useMemo(
    () => valueSeconds(lines.data, fromSecond, untilSecond),
    [lines.data, fromSecond, untilSecond],
  )
  // Another range may have no item at the cursors' times.
  const cursors = kept === null ? null : moved(kept, seconds)
  const bars = shown.view.how === 'rise' && buckets !== null
  const toggle = (name: string): void =>
    onChange({ right: right.includes(name) ? right.filter((other) => other !== name) : [...right, name] })
  const placed = axesOf(units.map((unit, place) => ({ unit, isMoved: !bars && right.includes(lines.names[place]!) })))
  const axisOf = (place: number): number => placed.places[place] ?? 0
  // The chosen scale applies to the first axis on the left.
  const first = placed.axes.findIndex(({ side }) => side === 'left')
  return (
    <>
      <Chart
        {...framed(props)}
        title={`${lines.names.join(', ')} over time`}
        lines={lines.lines.map((line) => ({
          ...line,
          axis: axisOf(line.color),
          hidden: hidden.has(line.name),
        }))}
        focus={focus}
        data={lines.data}
        bands={lines.bands}
        axes={placed.axes.map((one, place) => (place === first && !bars ? { ...one, scale: scaleOf(axes) } : one))}
        {...(bars && {
          values: 'from zero',
          paint: (canvas) => {
            const colorOf = (place: number): string => lineColor(place, theme)
            paintBars(canvas, { ...buckets, data: lines.data, count: lines.names.length, colorOf, axisOf })
          },
        })}
        onCursor={setCursor}
        onAxes={setMarked}
        {...(cursors !== null && {
          marks: [
            { second: cursors.a, name: 'A' },
            { second: cursors.b, name: 'B' },
          ],
          onPick: (second) => {
            const item = seconds[nearestPlace(seconds, second)]
            if (item !== undefined) setCursors(picked(cursors, item))
          },
        })}
      />
      {props.below}
      {!isInSavedView && (
        <CursorBar
          cursors={cursors}
          seconds={seconds}
          zone={zone}
          note={cursorNote(shown.view.how, shown.question.request.granularity)}
          onCursors={setCursors}
        />
      )}
      <LineLegend
        lines={lines}
        units={units}
        longs={lines.metrics.map((metric) =>
          entity.fields.some(({ name, type }) => name === metric && type === 'long'),
        )}
        axisSides={placed.places.map((place, line) =>
          marked === null || marked.includes(place) || hidden.has(lines.names[line]!) ? placed.axes[place]!.side : null,
        )}
        zone={zone}
        fromSecond={fromSecond}
        untilSecond={untilSecond}
        cursors={cursors}
        right={right}
        cursor={cursor}
        hidden={hidden}
        onHide={hide}
        onFocus={setFocus}
        {...(!bars && !isInSavedView && { onRight: toggle })}
      />
    </>
  )
}

const noStates = new Set(['false', '0', '', 'null'])

export function StateChart(props: DrawnProps & { readonly buckets: Buckets }) {
  const { shown, entity, buckets } = props
  const { view, table } = shown
  const theme = useStore(shownTheme)
  const { strips, left } = useMemo(
    () => stripsOf(table, { time: timeOf(view.how, entity), tags: tagsShown(view, entity) }),
    [shown],
  )
  const states = [...new Set(strips.flatMap(({ totals }) => totals.map(({ state }) => state)))].sort()
  const isMuted = (state: State): boolean => state === null || noStates.has(state)
  const colored = states.filter((state) => !isMuted(state))
  const colorOf = (state: State): string =>
    isMuted(state) ? mutedColor(theme) : lineColor(colored.indexOf(state), theme)
  return (
    <>
      <Chart
        {...framed(props)}
        height={40 + 56 * strips.length}
        title={`States of ${strips.map(({ name }) => name).join(', ')} over time`}
        lines={[{ name: 'states', drawn: 'painted' }]}
        data={[
          [buckets.fromSecond, buckets.untilSecond],
          [0, 0],
        ]}
        values={[0, 1]}
        paint={(canvas) =>
          paintStrips(canvas, strips, {
            colorOf,
            text: variable('--text'),
            pixelRatio: devicePixelRatio,
            boundsOf: buckets.boundsOf,
          })
        }
      />
      {props.below}
      <StateTotals strips={strips} left={left} colorOf={colorOf} />
    </>
  )
}

interface TotalsProps {
  readonly strips: readonly Strip[]
  readonly left: number
  colorOf(state: State): string
}

/** The duration of each state in the range, and how often it was entered. */
function StateTotals({ strips, left, colorOf }: TotalsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is scrolled by keyboard too.
    <section class="line-table" aria-label="States" tabIndex={0}>
      <ul class="line-legend">
        {strips.flatMap(({ name, totals }) => {
          const whole = totals.reduce((sum, { seconds }) => sum + seconds, 0)
          return totals.map(({ state, count, seconds, entries }) => (
            <li class="legend-line" key={`${name} ${state}`}>
              <i class="state-color" style={{ background: colorOf(state) }} />
              <bdi>{name}</bdi> <strong dir="auto">{state ?? plural(count, 'other state')}</strong>
              <span class="number">
                {durationText(seconds)} ({Math.round((100 * seconds) / Math.max(whole, Number.MIN_VALUE))} %), entered{' '}
                {countText(entries)} ×
              </span>
            </li>
          ))
        })}
        {left > 0 && <li class="soft small">{countText(left)} more strips are only in the table.</li>}
      </ul>
    </section>
  )
}

import { useMemo, useState } from 'preact/hooks'
import { Chart, lineColor } from '../../parts/chart.tsx'
import { plural } from '../../parts/formats.ts'
import { useQuery } from '../../shell/asking.ts'
import { useStore } from '../../shell/store.ts'
import { shownTheme } from '../../shell/theme.ts'
import { paintBars } from './bars.ts'
import type { Buckets } from './buckets.ts'
import { type DrawnProps, framed, scaleOf } from './charts.tsx'
import { eachTag } from './each-tag.ts'
import { textOf } from './line-legend.tsx'
import type { Lines } from './lines.ts'
import { linesOfShown, withEarlierRange } from './lines-of-shown.ts'
import { shownOf } from './shown-values.ts'
import { type TagText, tagTexts, unitOf } from './tag-texts.ts'
import type { Shown } from './use-rows.ts'
import { tagsShown } from './view.ts'

/** The most charts side by side. */
const smallChartsMax = 100
const smallHeight = 160

interface Props extends DrawnProps {
  readonly buckets: Buckets | null
  readonly earlier: Shown | null
}

/** A chart for each tag, side by side, if there are more lines than one chart can distinguish. */
export function SmallCharts(props: Props) {
  const { shown, earlier, entity, buckets, below } = props
  const texts = useQuery(tagTexts, ['tag texts']).value
  const tags = tagsShown(shown.view, entity)
  const parts = useMemo(() => {
    const before = new Map(earlier === null ? [] : eachTag(earlier, tags).map(({ key, shown }) => [key, shown]))
    return eachTag(shown, tags).map(({ key, shown: part }) => ({ key, part, before: before.get(key) ?? null }))
  }, [shown, earlier, tags.join()])
  const drawn = useMemo(
    () =>
      parts.slice(0, smallChartsMax).map(({ key, part, before }) => {
        const own = linesOfShown(part, entity, buckets)
        return { key, lines: withEarlierRange(own, part, before, entity) }
      }),
    [parts, entity, buckets],
  )
  const left = parts.length - drawn.length
  return (
    <>
      <div class="small-charts">
        {drawn.map(({ key, lines }) => (
          <SmallChart key={key} {...props} lines={lines} text={texts?.get(lines.tags[0] ?? '')} />
        ))}
      </div>
      {below}
      {left > 0 && <p class="soft small">{plural(left, 'more tag')} of these are only in the table of items.</p>}
    </>
  )
}

/** Shows the values under the pointer, or the newest. */
function SmallChart(props: Props & { readonly lines: Lines; readonly text: TagText | undefined }) {
  const { shown, entity, buckets, lines, text } = props
  const [cursor, setCursor] = useState<number | null>(null)
  const theme = useStore(shownTheme)
  const colorOf = (place: number): string => lineColor(place, theme)
  const bars = shown.view.how === 'rise' && buckets !== null
  const at = cursor ?? { fromSecond: shown.span.fromMs / 1000, untilSecond: shown.span.toMs / 1000 }
  return (
    <section aria-label={lines.names.join(', ')}>
      <ul class="small-head">
        {lines.names.map((name, place) => (
          <li key={place}>
            <i style={{ background: colorOf(place) }} />
            <bdi>{name}</bdi> <strong>{textOf(shownOf(lines, place, at))}</strong>{' '}
            <span class="soft">{unitOf(text, lines.metrics[place]!, entity)}</span>
          </li>
        ))}
      </ul>
      <Chart
        {...framed(props)}
        height={smallHeight}
        title={`${lines.names.join(', ')} over time`}
        lines={lines.lines}
        data={lines.data}
        bands={lines.bands}
        axes={[{ side: 'left', label: '', ...(!bars && { scale: scaleOf(props.axes) }) }]}
        {...(bars && {
          values: 'from zero',
          paint: (canvas) =>
            paintBars(canvas, { ...buckets, data: lines.data, count: lines.names.length, colorOf, axisOf: () => 0 }),
        })}
        onCursor={setCursor}
      />
    </section>
  )
}

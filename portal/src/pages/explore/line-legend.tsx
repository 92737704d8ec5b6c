import { lineColor } from '../../parts/chart.tsx'
import { valueText } from '../../parts/formats.ts'
import { valueAt } from '../../parts/line-data.ts'
import { clockText } from '../../parts/zoned-time.ts'
import { useStore } from '../../shell/store.ts'
import { shownTheme } from '../../shell/theme.ts'
import type { Lines } from './lines.ts'

interface Props {
  readonly lines: Lines
  readonly zone: string
  /** The end of the range. */
  readonly untilSecond: number
  readonly right: readonly string[]
  /** The place in the data that the pointer is over; null shows the newest values. */
  readonly cursor: number | null
  /** Absent where there is one axis alone. */
  onRight?(name: string): void
}

type Values = readonly (number | null | undefined)[]

/** What a line shows at a place of the data, or the newest of it up to a second. */
function valueIn({ data }: Lines, column: number, at: number | { readonly untilSecond: number }): number | null {
  const values: Values = data[column + 1] ?? []
  if (typeof at === 'number') return valueAt(values, at)
  const place = data[0].findLastIndex((second, place) => second <= at.untilSecond && typeof values[place] === 'number')
  return values[place] ?? null
}

/** A line with its dashed ends. */
function shownOf(lines: Lines, color: number, at: number | { readonly untilSecond: number }): number | null {
  const own = lines.lines.flatMap((line, place) => (line.color === color && line.drawn !== 'edge' ? [place] : []))
  // The last dashes end behind the line.
  return (
    own
      .toReversed()
      .map((place) => valueIn(lines, place, at))
      .find((value) => value !== null) ?? null
  )
}

/** The lines with their colours and values; each can be drawn against the axis at the right. */
export function LineLegend({ lines, zone, untilSecond, right, cursor, onRight }: Props) {
  const { names, data, bands, left } = lines
  const theme = useStore(shownTheme)
  const second = cursor === null ? null : data[0][cursor]
  return (
    <div class="line-legend">
      <span class="soft small number legend-time">
        {second == null ? 'newest values' : clockText(second * 1000, zone)}
      </span>
      {names.map((name, place) => {
        const at = second == null ? { untilSecond } : cursor!
        const value = shownOf(lines, place, at)
        const band = bands[place]
        const sides = band === undefined ? [] : [valueIn(lines, band.low, at), valueIn(lines, band.high, at)]
        return (
          <span class="legend-line" key={name}>
            <i style={{ background: lineColor(place, theme) }} />
            <bdi>{name}</bdi>
            <strong class="number" title={value == null ? undefined : String(value)}>
              {value == null ? '–' : valueText(value)}
            </strong>
            {sides.length > 0 && (
              <span class="soft number">
                {sides.map((side) => (side === null ? '–' : valueText(side))).join(' … ')}
              </span>
            )}
            {onRight && (
              <button
                type="button"
                class="as-link small"
                aria-pressed={right.includes(name)}
                aria-label={`${right.includes(name) ? 'right' : 'left'} axis: ${name}`}
                title="Draw it against the axis at the right"
                onClick={() => onRight(name)}
              >
                {right.includes(name) ? 'right' : 'left'}
              </button>
            )}
          </span>
        )
      })}
      {left > 0 && <span class="soft small">{left} more lines are in the table alone.</span>}
    </div>
  )
}

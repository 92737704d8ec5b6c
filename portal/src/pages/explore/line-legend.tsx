import { lineColor } from '../../parts/chart.tsx'
import { timeText, valueText } from '../../parts/formats.ts'
import { valueAt } from '../../parts/line-data.ts'
import { useStore } from '../../shell/store.ts'
import { shownTheme } from '../../shell/theme.ts'
import type { Lines } from './lines.ts'

interface Props {
  readonly lines: Lines
  readonly right: readonly string[]
  /** The place in the data that the pointer is over; null shows the newest values. */
  readonly cursor: number | null
  onRight(name: string): void
}

function lastOf(values: readonly (number | null | undefined)[]): number | null {
  return values.findLast((value) => typeof value === 'number') ?? null
}

/** The lines with their colours and values; each can be drawn against the axis at the right. */
export function LineLegend({ lines: { names, data, left }, right, cursor, onRight }: Props) {
  const theme = useStore(shownTheme)
  const second = cursor === null ? null : data[0][cursor]
  return (
    <div class="line-legend">
      <span class="soft small number legend-time">
        {second == null ? 'newest values' : timeText(new Date(second * 1000).toISOString())}
      </span>
      {names.map((name, place) => {
        const values = data[place + 1] ?? []
        const value = second == null ? lastOf(values) : valueAt(values, cursor!)
        return (
          <span class="legend-line" key={name}>
            <i style={{ background: lineColor(place, theme) }} />
            <bdi>{name}</bdi>
            <strong class="number">{value == null ? '–' : valueText(value)}</strong>
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
          </span>
        )
      })}
      {left > 0 && <span class="soft small">{left} more lines are in the table alone.</span>}
    </div>
  )
}

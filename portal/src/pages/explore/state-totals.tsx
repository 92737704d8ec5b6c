import { countText, durationText } from '../../parts/formats.ts'
import type { Strip } from './states.ts'

interface Props {
  readonly strips: readonly Strip[]
  readonly left: number
  colorOf(state: string): string
}

/** How long each state lasted in the range, and how often it was entered. */
export function StateTotals({ strips, left, colorOf }: Props) {
  return (
    <ul class="line-legend">
      {strips.flatMap(({ name, totals }) => {
        const whole = totals.reduce((sum, { seconds }) => sum + seconds, 0)
        return totals.map(({ state, seconds, entries }) => (
          <li class="legend-line" key={`${name} ${state}`}>
            <i class="state-color" style={{ background: colorOf(state) }} />
            <bdi>{name}</bdi> <strong dir="auto">{state}</strong>
            <span class="number">
              {durationText(seconds)} ({Math.round((100 * seconds) / Math.max(whole, Number.MIN_VALUE))} %), entered{' '}
              {countText(entries)} ×
            </span>
          </li>
        ))
      })}
      {left > 0 && <li class="soft small">{countText(left)} more strips are in the table alone.</li>}
    </ul>
  )
}

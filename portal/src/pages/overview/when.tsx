import { durationText } from '../../parts/formats.ts'
import { shownZone } from '../../parts/shown-zone.ts'
import { clockText, zoneText } from '../../parts/zoned-time.ts'
import { useStore } from '../../shell/store.ts'

interface Props {
  readonly ms: number
  readonly nowMs: number
}

/** The length of the date in `2026-01-01 08:00:00`. */
const dateCharacters = 10

/** An instant as its age, and as a time in the zone that the page names. */
export function When({ ms, nowMs }: Props) {
  const zone = useStore(shownZone)
  const clock = clockText(ms - (ms % 1000), zone)
  const isToday = clock.slice(0, dateCharacters) === clockText(nowMs, zone).slice(0, dateCharacters)
  return (
    <time dateTime={new Date(ms).toISOString()} title={`${clock}, ${zoneText(zone, ms)}`} class="number">
      {durationText(Math.max(0, Math.round((nowMs - ms) / 1000)))} ago{' '}
      <span class="soft">({isToday ? clock.slice(dateCharacters).trim() : clock})</span>
    </time>
  )
}

import { useStore } from '../shell/store.ts'
import { shownZone } from './shown-zone.ts'
import { clockText, offsetText, zoneText } from './zoned-time.ts'

/** A time in the zone of the pages, with its offset, so that a page need not name the zone. */
export function Time({ iso }: { readonly iso: string | null | undefined }) {
  const zone = useStore(shownZone)
  if (iso === null || iso === undefined) return <span class="soft">never</span>
  const ms = Date.parse(iso)
  return (
    <time dateTime={iso} title={`${iso}, ${zoneText(zone, ms)}`} class="number">
      {clockText(ms - (ms % 1000), zone)} <span class="soft">{offsetText(ms, zone)}</span>
    </time>
  )
}

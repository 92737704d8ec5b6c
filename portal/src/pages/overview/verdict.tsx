import { countText, plural } from '../../parts/formats.ts'
import { shownZone } from '../../parts/shown-zone.ts'
import { browserZone, zoneText } from '../../parts/zoned-time.ts'
import { useStore } from '../../shell/store.ts'
import type { Need } from './needs.ts'
import type { PlantState } from './plant-state.ts'

interface Props {
  readonly plant: PlantState
  readonly needs: readonly Need[]
  /** The number of rows that need repair; null if the user may not see them. */
  readonly toMend: number | null
}

/** The overall state in one line, with totals. */
export function Verdict({ plant, needs, toMend }: Props) {
  const sum = (of: (state: PlantState['entities'][number]) => number): number =>
    plant.entities.reduce((all, state) => all + of(state), 0)
  const isMore = plant.entities.some(({ tagsMore }) => tagsMore) || plant.others.length > 0
  const total = sum(({ tagsTotal }) => tagsTotal)
  const fresh = sum(({ tags }) => tags.filter(({ silent }) => !silent).length)
  return (
    <div class="verdict" role="status">
      <strong
        class={needs.length === 0 ? 'pill good' : needs.some(({ level }) => level === 'bad') ? 'pill bad' : 'pill warn'}
      >
        {needs.length === 0 ? 'All is well' : `${plural(needs.length, 'thing')} to look at`}
      </strong>
      <span>
        {isMore && 'more than '}
        {plural(total, 'tag')}, {countText(fresh)} fresh
        {toMend !== null && `, ${toMend === 0 ? 'no rows' : plural(toMend, 'row')} to mend`}
      </span>
      <ZoneSwitch plant={plant} />
    </div>
  )
}

function ZoneSwitch({ plant }: { readonly plant: PlantState }) {
  const zone = useStore(shownZone)
  const own = plant.entities.flatMap(({ entity }) => entity.time_zone ?? [])
  return (
    <select
      class="input slim zone push-right"
      aria-label="Time zone"
      value={zone}
      onChange={(event) => shownZone.set(event.currentTarget.value)}
    >
      {[...new Set([browserZone(), ...own, 'UTC', zone])].map((name) => (
        <option key={name} value={name}>
          {zoneText(name, plant.atMs)}
          {name === browserZone() ? ' (browser)' : own.includes(name) ? ' (plant)' : ''}
        </option>
      ))}
    </select>
  )
}

import { useStore } from '../shell/store.ts'
import { isPinned, type Pin, pins, togglePin } from './pins.ts'

/** What is pinned is shown first, on the overview and where Explore opens. */
export function PinButton({ entity, tag }: Pin) {
  const pinned = isPinned(useStore(pins), { entity, tag })
  return (
    <button
      type="button"
      class="as-link pin"
      aria-pressed={pinned}
      aria-label={`Pin ${tag}`}
      title={pinned ? 'Pinned: shown first on the overview' : 'Show it first on the overview'}
      onClick={() => togglePin({ entity, tag })}
    >
      {pinned ? '★' : '☆'}
    </button>
  )
}

import { useStore } from '../shell/store.ts'
import { isPinned, type Pin, pins, togglePins } from './pins.ts'

/** Pinned tags are shown first, on the overview and when Explore opens. */
export function PinButton({ entity, tag }: Pin) {
  const pinned = isPinned(useStore(pins), { entity, tag })
  return (
    <button
      type="button"
      class="as-link pin"
      aria-pressed={pinned}
      aria-label={`Pin ${tag}`}
      title={pinned ? 'Pinned: shown first on the overview' : 'Show it first on the overview'}
      onClick={() => togglePins([{ entity, tag }])}
    >
      {pinned ? '★' : '☆'}
    </button>
  )
}

interface PinAllProps {
  readonly entity: string
  readonly tags: readonly string[]
}

/** Pins or unpins all drawn tags. */
export function PinAll({ entity, tags }: PinAllProps) {
  const known = useStore(pins)
  const some = tags.map((tag) => ({ entity, tag }))
  const pinned = some.every((pin) => isPinned(known, pin))
  return (
    <button type="button" class="button slim" aria-pressed={pinned} onClick={() => togglePins(some)}>
      {pinned ? '★ Pinned' : '☆ Pin'}
    </button>
  )
}

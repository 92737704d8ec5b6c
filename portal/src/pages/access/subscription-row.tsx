import type { SubscriptionEntry } from '../../../../src/client/answers.ts'
import { Check, TextField } from '../../parts/inputs.tsx'

interface Props {
  readonly place: number
  readonly entry: SubscriptionEntry
  readonly names: readonly string[]
  onEntry(entry: SubscriptionEntry): void
  onRemove(): void
}

/** What an entry has beside what it is for. */
function without(entry: SubscriptionEntry, ...names: readonly (keyof SubscriptionEntry)[]): SubscriptionEntry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.some((other) => other === name)))
}

export function SubscriptionRow({ place, entry, names, onEntry, onRemove }: Props) {
  const pushes = entry.ingest !== undefined && entry.ingest !== null
  const date = (name: 'from' | 'until', text: string): void =>
    onEntry(text === '' ? without(entry, name) : { ...entry, [name]: text })
  return (
    <li class="subscription">
      <TextField
        label={`${pushes ? 'May push to' : 'May read'} (${place})`}
        value={(pushes ? entry.ingest : entry.entity) ?? ''}
        onValue={(name) => onEntry({ ...without(entry, 'ingest', 'entity'), [pushes ? 'ingest' : 'entity']: name })}
        list={['*', ...new Set(names)]}
        mono
      />
      <TextField
        label="From"
        value={entry.from ?? ''}
        onValue={(text) => date('from', text)}
        placeholder="always"
        mono
      />
      <TextField
        label="Until"
        value={entry.until ?? ''}
        onValue={(text) => date('until', text)}
        placeholder="no end"
        mono
      />
      <Check
        label="Suspended"
        checked={entry.suspended === true}
        onChecked={(suspended) => onEntry(suspended ? { ...entry, suspended } : without(entry, 'suspended'))}
      />
      <button type="button" class="button slim danger" aria-label={`Take out entry ${place}`} onClick={onRemove}>
        Take out
      </button>
    </li>
  )
}

import { useState } from 'preact/hooks'
import type { SubscriptionEntry } from '../../../../src/client/answers.ts'
import { Check, TextField } from '../../parts/inputs.tsx'
import { Empty, Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { clientOf } from '../../session/session.ts'
import { useAction, useQuery } from '../../shell/asking.ts'
import { notify } from '../../shell/toasts.tsx'

interface Props {
  readonly subscriber: string
  readonly kept: readonly SubscriptionEntry[]
  onChanged(): void
}

/** The ingests and entities that the subscriber may use, and when. Edits are saved together, on request. */
export function Subscriptions({ subscriber, kept, onChanged }: Props) {
  const [entries, setEntries] = useState(kept)
  const saving = useAction()
  const names = useQuery(
    async (client) => ({
      ingests: (await client.ingests({ limit: 1000 })).Items.map(({ alias }) => alias),
      entities: (await client.entities()).map(({ entity }) => entity),
    }),
    ['names'],
  )
  const changed = JSON.stringify(entries) !== JSON.stringify(kept)
  const save = (): Promise<boolean> =>
    saving.run(async (signal) => {
      await clientOf(signal).putSubscriptions(subscriber, entries)
      notify('The subscriptions are saved.')
      onChanged()
    })
  const add = (entry: SubscriptionEntry): void => setEntries([...entries, entry])
  return (
    <Panel title="Subscriptions">
      {entries.length === 0 && (
        <Empty title="It may do nothing yet">
          <p>
            Add an ingest that it may push to, or an entity or table of metadata that it may read. “*” means every one.
          </p>
        </Empty>
      )}
      <ul class="inside">
        {entries.map((entry, place) => (
          <SubscriptionRow
            key={place}
            place={place + 1}
            entry={entry}
            names={[...(names.value?.ingests ?? []), ...(names.value?.entities ?? [])]}
            onEntry={(next) => setEntries(entries.map((other, index) => (index === place ? next : other)))}
            onRemove={() => setEntries(entries.filter((_, index) => index !== place))}
          />
        ))}
      </ul>
      <div class="inside">
        <ProblemNote error={saving.error} />
        <EntryDeeds onAdd={add} onSave={save} savable={changed && !saving.busy} />
      </div>
    </Panel>
  )
}

interface DeedsProps {
  readonly savable: boolean
  onAdd(entry: SubscriptionEntry): void
  onSave(): Promise<boolean>
}

function EntryDeeds({ savable, onAdd, onSave }: DeedsProps) {
  return (
    <div class="actions">
      <button type="button" class="button" onClick={() => onAdd({ ingest: '' })}>
        Add one to push
      </button>
      <button type="button" class="button" onClick={() => onAdd({ entity: '' })}>
        Add one to read
      </button>
      <button type="button" class="button first push-right" disabled={!savable} onClick={() => void onSave()}>
        Save the changes
      </button>
    </div>
  )
}

interface RowProps {
  readonly place: number
  readonly entry: SubscriptionEntry
  readonly names: readonly string[]
  onEntry(entry: SubscriptionEntry): void
  onRemove(): void
}

/** An entry without some of its members. */
function without(entry: SubscriptionEntry, ...names: readonly (keyof SubscriptionEntry)[]): SubscriptionEntry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.some((other) => other === name)))
}

function SubscriptionRow({ place, entry, names, onEntry, onRemove }: RowProps) {
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

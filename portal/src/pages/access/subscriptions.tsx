import { useState } from 'preact/hooks'
import type { SubscriptionEntry } from '../../../../src/client/answers.ts'
import { Empty, Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { clientOf } from '../../session/session.ts'
import { useAsk, useDeed } from '../../shell/asking.ts'
import { notify } from '../../shell/toasts.tsx'
import { SubscriptionRow } from './subscription-row.tsx'

interface Props {
  readonly subscriber: string
  readonly kept: readonly SubscriptionEntry[]
  onChanged(): void
}

/** What the subscriber may push to and read, and when: changed together, and kept when that is said. */
export function Subscriptions({ subscriber, kept, onChanged }: Props) {
  const [entries, setEntries] = useState(kept)
  const saving = useDeed()
  const names = useAsk(
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
      notify('The subscriptions are kept.')
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
        Keep the changes
      </button>
    </div>
  )
}

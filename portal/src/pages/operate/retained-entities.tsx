import { useState } from 'preact/hooks'
import type { EntityAnswer, EntityDescription } from '../../../../src/client/answers.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { EntityName } from '../../parts/entity-name.tsx'
import { countText } from '../../parts/formats.ts'
import { TextField } from '../../parts/inputs.tsx'
import { Empty, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { DeedsHead, TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { clientOf, mayDo } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { notify } from '../../shell/toasts.tsx'

/** Each entity with its contents and retention. With only the right observe, contents are not shown and retention cannot be changed. */
export function RetainedEntities() {
  const operates = mayDo('admin')
  const [changing, change] = useState<EntityAnswer | null>(null)
  const kept = useQuery(
    async (client) => {
      const described = operates ? client.entities() : Promise.resolve([])
      const { Items } = await client.adminEntities({ limit: 1000 })
      const known = new Map((await described).map((one) => [one.entity, one]))
      return Items.map((entity) => ({ entity, known: known.get(entity.entity) }))
    },
    ['kept', operates],
    { everyMs: 15_000 },
  )
  return (
    <Panel title="Entities and how long they keep their items">
      <ProblemNote error={kept.error} />
      {kept.value === null && kept.error === null && <Waiting />}
      {kept.value?.length === 0 && (
        <Empty title="No entity yet">
          <p>A series ingest feeds one.</p>
        </Empty>
      )}
      {(kept.value?.length ?? 0) > 0 && <RetainedTable kept={kept.value!} operates={operates} onChange={change} />}
      {changing !== null && <Retention entity={changing} onClose={() => change(null)} onChanged={kept.again} />}
    </Panel>
  )
}

interface TableProps {
  readonly kept: readonly { readonly entity: EntityAnswer; readonly known: EntityDescription | undefined }[]
  readonly operates: boolean
  onChange(entity: EntityAnswer): void
}

function RetainedTable({ kept, operates, onChange }: TableProps) {
  return (
    <TableFrame name="Entities">
      <thead>
        <tr>
          <th>Entity</th>
          {operates && (
            <>
              <th class="right">Rows</th>
              <th>Oldest</th>
              <th>Newest</th>
            </>
          )}
          <th>Kept for</th>
          {operates && <DeedsHead />}
        </tr>
      </thead>
      <tbody>
        {kept.map(({ entity, known }) => (
          <tr key={entity.entity}>
            <td class="main">
              <EntityName name={entity.entity} />
            </td>
            {operates && (
              <>
                <td class="right">{known === undefined ? '–' : countText(known.rows)}</td>
                <td class="tight">
                  <Time iso={known?.first_date} />
                </td>
                <td class="tight">
                  <Time iso={known?.last_date} />
                </td>
              </>
            )}
            <td class="tight">
              {entity.retention ?? 'ever'}
              {entity.hours_retention !== undefined && `, hours ${entity.hours_retention ?? 'ever'}`}
            </td>
            {operates && (
              <td class="tight">
                <button type="button" class="button slim" onClick={() => onChange(entity)}>
                  Retention…
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}

interface Props {
  readonly entity: EntityAnswer
  onClose(): void
  onChanged(): void
}

/** The form's text: empty if no hours are kept. */
const hoursText = ({ hours_retention }: EntityAnswer): string =>
  hours_retention === undefined ? '' : (hours_retention ?? 'ever')

/** Undefined if nothing changes. */
function hoursAsked(text: string, before: string): string | null | undefined {
  if (text === before) return undefined
  return text === '' ? 'none' : text === 'ever' ? null : text
}

function Retention({ entity: kept, onClose, onChanged }: Props) {
  const { entity, retention } = kept
  const [text, setText] = useState(retention ?? '')
  const [hours, setHours] = useState(hoursText(kept))
  return (
    <AskFirst
      title={`How long ${entity} keeps its items`}
      deed="Set it"
      danger={text !== ''}
      onClose={onClose}
      onDeed={async (signal) => {
        const hoursRetention = hoursAsked(hours.trim(), hoursText(kept))
        await clientOf(signal).retain(entity, text.trim() === '' ? null : text.trim(), hoursRetention)
        notify(
          text.trim() === '' ? `${entity} keeps its items for ever.` : `${entity} keeps its items for ${text.trim()}.`,
        )
        onChanged()
      }}
    >
      <p>Older items are deleted for good, whole days at a time, within an hour of the end of their day.</p>
      <TextField
        label="Kept for"
        value={text}
        onValue={setText}
        placeholder="ever"
        mono
        hint="An ISO 8601 duration such as P90D or P1Y. Empty: for ever."
      />
      <TextField
        label="Hours of expired items"
        value={hours}
        onValue={setHours}
        placeholder="not kept"
        mono
        hint="How long hourly averages and counts are stored, such as P10Y, or: ever. Empty: they expire with their items."
      />
    </AskFirst>
  )
}

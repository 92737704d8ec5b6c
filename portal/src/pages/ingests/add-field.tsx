import { useState } from 'preact/hooks'
import type { NewField } from '../../../../src/client/answers.ts'
import { type FieldType, fieldTypes, isName } from '../../../../src/model/field.ts'
import { parseInstant } from '../../../../src/model/instant.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { countText } from '../../parts/formats.ts'
import { SelectField, TextField } from '../../parts/inputs.tsx'
import { clientOf } from '../../session/session.ts'
import { notify } from '../../shell/toasts.tsx'
import type { RejectedFilter } from './filter.ts'
import { replayRows } from './replay.ts'
import type { ShownIngest } from './side.ts'

interface Props {
  readonly ingest: ShownIngest
  /** The pushed property to read the field from, and an example value as JSON; empty if unknown. */
  readonly source: string
  readonly value: string
  /** Rows to validate again after the field is added. */
  readonly replay?: RejectedFilter
  onClose(): void
  onChanged(): void
}

/** The most likely type for a value. */
function typeOfValue(value: string): FieldType {
  if (value === 'true' || value === 'false') return 'boolean'
  if (value === '' || /^-?\d/.test(value)) return 'double'
  try {
    const text: unknown = JSON.parse(value)
    if (typeof text === 'string' && text.length > 9 && parseInstant(text) !== null) return 'timestamp'
  } catch {
    // Not JSON, so it is text.
  }
  return 'string'
}

function fieldFor({ ingest: { kind }, source, value }: Props): NewField {
  const type = typeOfValue(value)
  const role = kind === 'metadata' ? 'attribute' : type === 'double' ? 'metric' : 'dimension'
  const name = isName(source) ? source : source.replace(/[^A-Za-z0-9_.-]/g, '_').replace(/^(?![A-Za-z_])/, '_')
  return { name: source === '' ? '' : name, type, role }
}

/** Adds a field. Rejected rows that need it are validated again in the same step. */
export function AddField(props: Props) {
  const { ingest, source, replay, onClose, onChanged } = props
  const [field, setField] = useState(() => fieldFor(props))
  const [done, setDone] = useState(0)
  const change = (part: Partial<NewField>): void => setField({ ...field, ...part })
  const add = async (signal: AbortSignal): Promise<void> => {
    const from = source === '' || source === field.name ? {} : { source }
    await clientOf(signal).changeIngest(ingest.alias, { add_fields: [{ ...field, ...from }] })
    if (replay === undefined) {
      onChanged()
      return notify(`The field ${field.name} is added.`)
    }
    const outcome = await replayRows(ingest.alias, replay, signal, setDone)
    notify(
      `The field is added. ${countText(outcome.stored)} rows are stored now, ${countText(outcome.rejected)} are still rejected.`,
    )
    onChanged()
  }
  const types = fieldTypes
    .filter((type) => ingest.kind === 'metadata' || type !== 'json')
    .map((type) => ({ value: type, text: type }))
  const roles = (ingest.kind === 'metadata' ? (['attribute'] as const) : (['dimension', 'metric'] as const)).map(
    (role) => ({ value: role, text: role }),
  )
  const title = replay === undefined ? 'Add a field' : `Add the field ${source} and validate its rows again`
  return (
    <AskFirst
      title={title}
      deed={replay === undefined ? 'Add it' : 'Add it and validate again'}
      ready={field.name !== ''}
      onClose={onClose}
      onDeed={add}
    >
      <p class="soft">
        Rows stored earlier have null in it. A field cannot be removed, and its type cannot be changed.
      </p>
      <div class="grid-form">
        <TextField label="Name" value={field.name} onValue={(name) => change({ name })} required mono />
        <SelectField label="Type" value={field.type} choices={types} onValue={(type) => change({ type })} />
        <SelectField
          label="Role"
          value={field.role === 'metric' ? 'metric' : field.role === 'attribute' ? 'attribute' : 'dimension'}
          choices={roles as readonly { value: 'metric' | 'attribute' | 'dimension'; text: string }[]}
          onValue={(role) => change({ role })}
        />
      </div>
      {done > 0 && <p role="status">{countText(done)} rows validated again…</p>}
    </AskFirst>
  )
}

import { useState } from 'preact/hooks'
import type { NewField } from '../../../../src/client/answers.ts'
import type { IngestKind } from '../../../../src/model/ingest.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/inputs.tsx'
import { clientOf } from '../../session/session.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo } from '../../shell/route.ts'
import { notify } from '../../shell/toasts.tsx'
import { FieldRows } from './field-rows.tsx'

const seriesFields: readonly NewField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
]
const metadataFields: readonly NewField[] = [
  { name: 'tag', type: 'string', role: 'index' },
  { name: 'description', type: 'string', role: 'attribute' },
]
const kinds = [
  { value: 'series', text: 'Series: readings over time' },
  { value: 'metadata', text: 'Metadata: items with an identifier' },
] as const

export function NewIngest({ onClose }: { onClose(): void }) {
  const [alias, setAlias] = useState('')
  const [kind, setKind] = useState<IngestKind>('series')
  const [fields, setFields] = useState(seriesFields)
  const choose = (chosen: IngestKind): void => {
    setKind(chosen)
    setFields(chosen === 'series' ? seriesFields : metadataFields)
  }
  const make = async (signal: AbortSignal): Promise<void> => {
    await clientOf(signal).createIngest({ alias, kind, fields })
    notify(`The ingest ${alias} is made.`)
    goTo(linkTo(['ingests', alias]))
  }
  return (
    <AskFirst title="New ingest" deed="Make it" wide ready={alias !== ''} onClose={onClose} onDeed={make}>
      <div class="grid-form">
        <TextField
          label="Alias"
          value={alias}
          onValue={setAlias}
          placeholder="plant"
          required
          mono
          hint="The name that rows are pushed to."
        />
        <SelectField label="Kind" value={kind} choices={kinds} onValue={choose} />
      </div>
      <FieldRows kind={kind} fields={fields} onFields={setFields} />
    </AskFirst>
  )
}

import { useState } from 'preact/hooks'
import { AskFirst } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/inputs.tsx'
import { clientOf, session } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { notify } from '../../shell/toasts.tsx'
import type { View } from '../explore/view.ts'
import { cellOf, frameSaved, partFault } from './definition.ts'

/** Saves what Explore draws, as a new view or as a part of an existing one. */
export function SaveView({ view }: { readonly view: View }) {
  const [open, show] = useState(false)
  if (session.get()?.key == null) return null
  return (
    <>
      <button type="button" class="button slim" onClick={() => show(true)}>
        Save view…
      </button>
      {open && <NameView view={view} onClose={() => show(false)} />}
    </>
  )
}

/** The limit of one response. */
const listedMax = 1000

function NameView({ view, onClose }: { readonly view: View; onClose(): void }) {
  const [name, setName] = useState('')
  const [into, choose] = useState('')
  const views = useQuery((client) => client.views({ limit: listedMax }), ['views'])
  const fault = partFault(view)
  const own = views.value?.Items.filter(({ may_change }) => may_change) ?? []
  const save = async (signal: AbortSignal): Promise<void> => {
    const client = clientOf(signal)
    const cell = cellOf(view)
    if (into === '') {
      await client.putView(name.trim(), { ...frameSaved(view), cells: [cell] }, 'never')
    } else {
      const { view: before, changed } = await client.view(into)
      await client.putView(into, { ...before, cells: [...before.cells, cell] }, changed)
    }
    notify(`It is saved in ${into === '' ? name.trim() : into}; see Views.`)
  }
  return (
    <AskFirst
      title="Save the view"
      deed="Save"
      ready={fault === null && (into !== '' || name.trim() !== '')}
      onClose={onClose}
      onDeed={save}
    >
      {fault !== null && <p class="fault">{fault}</p>}
      {own.length > 0 && (
        <SelectField
          label="Where"
          value={into}
          choices={[
            { value: '', text: 'a new view' },
            ...own.map((one) => ({ value: one.name, text: `in ${one.name}` })),
          ]}
          onValue={choose}
        />
      )}
      {into === '' && (
        <TextField
          label="Name"
          value={name}
          onValue={setName}
          required
          hint="Everyone who may read the entity sees it; you and an operator may change it."
        />
      )}
    </AskFirst>
  )
}

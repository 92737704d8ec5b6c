import { useState } from 'preact/hooks'
import type { ListedView, SavedView } from '../../../../src/client/answers.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { fileNameOf, saveFile } from '../../parts/save-file.ts'
import { clientOf } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { notify } from '../../shell/toasts.tsx'
import { type Exported, exportedIn, importText } from './exported.ts'

/** Saves a view as a file that other services accept, too. */
export function exportView({ name, view }: Pick<SavedView, 'name' | 'view'>): void {
  const json = `${JSON.stringify({ name, view }, null, 2)}\n`
  saveFile(`${fileNameOf(name)}.view.json`, new Blob([json], { type: 'application/json' }))
}

interface Props {
  readonly views: readonly ListedView[]
  onDone(): void
}

export function ImportView(props: Props) {
  const [open, show] = useState(false)
  return (
    <>
      <button type="button" class="button slim" onClick={() => show(true)}>
        Import…
      </button>
      {open && <ImportDialog {...props} onClose={() => show(false)} />}
    </>
  )
}

interface Chosen {
  readonly exported: Exported | null
  readonly error: unknown
}

const nothing: Chosen = { exported: null, error: null }

function ImportDialog({ views, onDone, onClose }: Props & { onClose(): void }) {
  const entities = useQuery((client) => client.entities(), ['entities'])
  const [{ exported, error }, choose] = useState(nothing)
  const [name, setName] = useState('')
  const as = name.trim() === '' ? (exported?.name ?? '') : name.trim()
  const isThere = views.some((view) => view.name === as)
  const read = (file: File | undefined): Promise<void> | undefined =>
    file
      ?.text()
      .then((text) => choose({ exported: exportedIn(text), error: null }))
      .catch((error: unknown) => choose({ ...nothing, error }))
  return (
    <AskFirst
      title="Import a view"
      deed="Import"
      ready={exported !== null && !isThere}
      onClose={onClose}
      onDeed={async (signal) => {
        await clientOf(signal).putView(as, exported!.view, 'never')
        notify(`The view ${as} is saved.`)
        onDone()
      }}
    >
      <label class="field">
        <span class="label">File</span>
        <input
          class="input"
          type="file"
          accept="application/json,.json"
          onChange={(event) => {
            choose(nothing)
            void read(event.currentTarget.files?.[0])
          }}
        />
      </label>
      <TextField label="Name" value={name} onValue={setName} hint="Empty: the name in the file." />
      <ProblemNote error={error} />
      {exported !== null && (
        <p role="status" dir="auto">
          {isThere
            ? `The view ${as} already exists, and an import does not replace it: enter another name.`
            : importText(as, exported.view, entities.value?.map(({ entity }) => entity) ?? null)}
        </p>
      )}
    </AskFirst>
  )
}

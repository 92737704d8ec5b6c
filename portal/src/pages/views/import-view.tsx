import { useState } from 'preact/hooks'
import type { SavedView, ViewDefinition } from '../../../../src/client/answers.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { fileNameOf, saveFile } from '../../parts/save-file.ts'
import { clientOf } from '../../session/session.ts'
import { notify } from '../../shell/toasts.tsx'

/** As a file that another service takes too. */
export function exportView({ name, view }: Pick<SavedView, 'name' | 'view'>): void {
  const json = `${JSON.stringify({ name, view }, null, 2)}\n`
  saveFile(`${fileNameOf(name)}.view.json`, new Blob([json], { type: 'application/json' }))
}

interface Exported {
  readonly name: string
  /** The service says what is wrong with it. */
  readonly view: ViewDefinition
}

function exportedIn(text: string): Exported {
  const value: unknown = JSON.parse(text)
  const name: unknown = Reflect.get(Object(value), 'name')
  const view: unknown = Reflect.get(Object(value), 'view')
  if (typeof name !== 'string' || typeof view !== 'object' || view === null) {
    throw new Error('The file is no exported view: {"name": …, "view": {…}}.')
  }
  return { name, view: view as ViewDefinition }
}

export function ImportView({ onDone }: { onDone(): void }) {
  const [open, show] = useState(false)
  const [file, choose] = useState<File | null>(null)
  const [name, setName] = useState('')
  return (
    <>
      <button type="button" class="button slim" onClick={() => show(true)}>
        Import…
      </button>
      {open && (
        <AskFirst
          title="Import a view"
          deed="Import"
          ready={file !== null}
          onClose={() => show(false)}
          onDeed={async (signal) => {
            const read = exportedIn(await file!.text())
            const as = name.trim() === '' ? read.name : name.trim()
            await clientOf(signal).putView(as, read.view, 'never')
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
              onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)}
            />
          </label>
          <TextField label="Name" value={name} onValue={setName} hint="Empty is the one in the file." />
        </AskFirst>
      )}
    </>
  )
}

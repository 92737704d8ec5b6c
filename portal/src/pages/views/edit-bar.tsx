// The tools for editing a view. Each change is saved immediately.
import { useState } from 'preact/hooks'
import type { EntityDescription, SavedView, ViewDefinition } from '../../../../src/client/answers.ts'
import { AskFirst } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/inputs.tsx'
import { clientOf } from '../../session/session.ts'
import type { ActionState } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo } from '../../shell/route.ts'
import { notify } from '../../shell/toasts.tsx'
import type { View } from '../explore/view.ts'
import { type Cell, frameSaved, type Values, type Variable } from './definition.ts'
import { EditCell } from './edit-cell.tsx'
import { EditVariables } from './edit-variables.tsx'

interface Props {
  readonly values: Values
  readonly entities: readonly EntityDescription[]
  readonly saving: ActionState
  /** Resolves with whether it succeeded. */
  onSave(next: ViewDefinition): Promise<boolean>
}

interface BarProps extends Props {
  readonly saved: SavedView
  /** The displayed range. */
  readonly frame: View
}

export function EditBar({ saved, frame, values, entities, saving, onSave }: BarProps) {
  const { busy, error } = saving
  const [open, show] = useState<'add' | 'variables' | 'copy' | 'delete' | null>(null)
  const { name, view } = saved
  const { range: _range, from: _from, to: _to, zone: _zone, ...rest } = view
  const close = (): void => show(null)
  const begin = (what: NonNullable<typeof open>): void => {
    saving.clear()
    show(what)
  }
  const tools = [
    ['add', 'Add a part…'],
    ['variables', 'Variables…'],
    ['copy', 'Save a copy…'],
    ['delete', 'Delete…'],
  ] as const
  return (
    <div class="actions">
      {tools.map(([what, text]) => (
        <button
          key={what}
          type="button"
          class={what === 'delete' ? 'button slim danger' : 'button slim'}
          disabled={busy}
          onClick={() => begin(what)}
        >
          {text}
        </button>
      ))}
      <button
        type="button"
        class="button slim"
        disabled={busy}
        onClick={() => void onSave({ ...frameSaved(frame), ...rest })}
      >
        Open with this range
      </button>
      {open === 'add' && (
        <EditCell
          {...{ values, entities, error }}
          cell={{ kind: 'chart', entity: view.cells[0]?.entity ?? entities[0]?.entity ?? '', tags: [] }}
          variables={view.variables ?? []}
          onClose={close}
          onSave={(cell) => onSave({ ...view, cells: [...view.cells, cell] })}
        />
      )}
      {open === 'variables' && (
        <EditVariables
          variables={view.variables ?? []}
          {...{ entities, error }}
          onClose={close}
          onSave={(variables: readonly Variable[]) => onSave({ ...view, variables })}
        />
      )}
      {open === 'copy' && <SaveCopy view={view} onClose={close} />}
      {open === 'delete' && (
        <AskFirst
          title={`Delete the view ${name}?`}
          deed="Delete it"
          danger
          onClose={close}
          onDeed={async (signal) => {
            await clientOf(signal).deleteView(name)
            notify(`The view ${name} is deleted.`)
            goTo(linkTo(['views']))
          }}
        >
          <p>Nobody can open it after that. Export saves it as a file.</p>
        </AskFirst>
      )}
    </div>
  )
}

function SaveCopy({ view, onClose }: { readonly view: ViewDefinition; onClose(): void }) {
  const [name, setName] = useState('')
  return (
    <AskFirst
      title="Save a copy"
      deed="Save"
      ready={name.trim() !== ''}
      onClose={onClose}
      onDeed={async (signal) => {
        await clientOf(signal).putView(name.trim(), view, 'never')
        goTo(linkTo(['views', name.trim()]))
      }}
    >
      <TextField label="Name" value={name} onValue={setName} required />
    </AskFirst>
  )
}

interface ToolsProps extends Props {
  readonly view: ViewDefinition
  readonly place: number
}

/** The tools for editing one part. */
export function CellTools({ view, place, values, entities, saving, onSave }: ToolsProps) {
  const { busy, error } = saving
  const [open, show] = useState<'edit' | 'remove' | null>(null)
  const { cells } = view
  const cell = cells[place]!
  const close = (): void => show(null)
  const begin = (what: NonNullable<typeof open>): void => {
    saving.clear()
    show(what)
  }
  const withCells = (next: readonly Cell[]): Promise<boolean> => onSave({ ...view, cells: next })
  const move = (by: number): void => {
    const others = cells.filter((_, at) => at !== place)
    void withCells(others.toSpliced(place + by, 0, cell))
  }
  return (
    <>
      {([-1, 1] as const).map((by) => (
        <button
          key={by}
          type="button"
          class="button slim"
          aria-label={by < 0 ? 'Move it forward' : 'Move it back'}
          disabled={busy || cells[place + by] === undefined}
          onClick={() => move(by)}
        >
          {by < 0 ? '‹' : '›'}
        </button>
      ))}
      <button type="button" class="button slim" disabled={busy} onClick={() => begin('edit')}>
        Change…
      </button>
      <button
        type="button"
        class="button slim danger"
        disabled={busy || cells.length === 1}
        onClick={() => begin('remove')}
      >
        Remove…
      </button>
      {open === 'edit' && (
        <EditCell
          {...{ cell, values, entities, error }}
          variables={view.variables ?? []}
          onClose={close}
          onSave={(next) => withCells(cells.with(place, next))}
        />
      )}
      {open === 'remove' && (
        <AskFirst
          title="Remove this part of the view?"
          deed="Remove it"
          danger
          onClose={close}
          onDeed={async () => void (await withCells(cells.filter((_, at) => at !== place)))}
        />
      )}
    </>
  )
}

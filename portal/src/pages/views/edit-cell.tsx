import { useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextArea, TextField } from '../../parts/inputs.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { FieldChecks, hows } from '../explore/choices.tsx'
import { TagSearch } from '../explore/tag-search.tsx'
import { drawable } from '../explore/view.ts'
import { type Cell, filled, partFault, type Values, type Variable } from './definition.ts'

interface Props {
  readonly cell: Cell
  readonly variables: readonly Variable[]
  readonly values: Values
  readonly entities: readonly EntityDescription[]
  /** The error of the last save. */
  readonly error: unknown
  onClose(): void
  onSave(cell: Cell): Promise<boolean>
}

const kinds: readonly { readonly value: Cell['kind']; readonly text: string }[] = [
  { value: 'chart', text: 'Chart' },
  { value: 'value', text: 'Newest values, large' },
  { value: 'table', text: 'Table: newest, least, mean, greatest' },
  { value: 'state', text: 'Time in each state' },
  { value: 'text', text: 'Text' },
]

/** Only the properties that a part of its kind has. */
function whole({ kind, title = '', text = '', tags = [], fields = [], ...rest }: Cell): Cell {
  const named = title === '' ? {} : { title }
  if (kind === 'text') return { kind, ...named, text }
  const { entity, by, ...drawn } = rest
  const chosen = { kind, ...named, entity, ...(by && { by }), tags, ...(fields.length > 0 && { fields }) } as Cell
  return kind === 'chart' ? { ...chosen, ...drawn } : chosen
}

/** Edits a part of a view: its kind and its tags. */
export function EditCell({ cell: first, variables, values, entities, error, onClose, onSave }: Props) {
  const [cell, set] = useState(first)
  const change = (part: Partial<Cell>): void => set((before) => ({ ...before, ...part }))
  const fault = cell.kind === 'text' ? null : partFault(cell)
  const isReady = fault === null && (cell.kind === 'text' ? (cell.text ?? '') !== '' : (cell.tags ?? []).length > 0)
  const save = async (): Promise<void> => {
    if (!isReady) return
    if (await onSave(whole(cell))) onClose()
  }
  return (
    <Dialog title="Part of the view" wide onClose={onClose} onSend={() => void save()}>
      <div class="grid-form">
        <SelectField label="Show" value={cell.kind} choices={kinds} onValue={(kind) => change({ kind })} />
        <TextField label="Title" value={cell.title ?? ''} onValue={(title) => change({ title })} />
      </div>
      {cell.kind === 'text' ? (
        <TextArea label="Text" value={cell.text ?? ''} onValue={(text) => change({ text })} />
      ) : (
        <What {...{ cell, variables, values, entities }} onChange={change} />
      )}
      {fault !== null && <p class="fault">{fault}</p>}
      <ProblemNote error={error} />
      <div class="actions end">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button first" disabled={!isReady}>
          Save
        </button>
      </div>
    </Dialog>
  )
}

interface WhatProps extends Omit<Props, 'error' | 'onClose' | 'onSave'> {
  onChange(part: Partial<Cell>): void
}

function What({ cell, variables, values, entities, onChange }: WhatProps) {
  const { entity: named = '', tags = [], fields = [], by = '', how = 'auto' } = cell
  const shown = filled(named, values)
  const entity = entities.find((one) => one.entity === shown)
  const ofEntity = variables.filter(({ kind }) => kind === 'entity').map(({ name }) => `$${name}`)
  const names = [...new Set([named, ...ofEntity, ...entities.map((one) => one.entity)])].filter((name) => name !== '')
  const ofTags = variables.filter(({ kind }) => kind === 'tag').map(({ name }) => `$${name}`)
  const drawn = cell.kind === 'state' ? 'states' : cell.kind === 'chart' ? how : 'latest'
  return (
    <>
      <div class="grid-form">
        <SelectField
          label="Entity"
          value={named}
          choices={names.map((name) => ({ value: name, text: name }))}
          onValue={(name) => onChange({ entity: name, tags: tags.filter((tag) => tag.includes('$')), fields: [] })}
        />
        {cell.kind === 'chart' && (
          <SelectField
            label="Drawn as"
            value={how}
            choices={hows.filter(({ value }) => value !== 'states' && value !== 'latest')}
            onValue={(value) => onChange({ how: value as NonNullable<Cell['how']>, fields: [] })}
          />
        )}
      </div>
      {ofTags.length > 0 && (
        <div class="actions">
          {ofTags.map((mark) => (
            <button
              key={mark}
              type="button"
              class="button slim"
              aria-pressed={tags.includes(mark)}
              onClick={() =>
                onChange({ tags: tags.includes(mark) ? tags.filter((tag) => tag !== mark) : [...tags, mark] })
              }
            >
              {mark}
            </button>
          ))}
          <span class="soft small">
            are replaced by the tag that a reader chooses, or a part of one: type {ofTags[0]}.temp for the temperature
            of the chosen tag.
          </span>
        </div>
      )}
      {entity !== undefined && (
        <>
          <TagSearch
            entity={shown}
            by={by}
            chosen={tags}
            marks={ofTags}
            onChosen={(chosen) => onChange({ tags: [...chosen] })}
          />
          <FieldChecks
            fields={drawable(drawn, entity)}
            chosen={fields}
            onChosen={(chosen) => onChange({ fields: [...chosen] })}
          />
        </>
      )}
    </>
  )
}

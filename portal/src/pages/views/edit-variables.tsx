import { useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/inputs.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import type { Variable } from './definition.ts'

interface Props {
  readonly variables: readonly Variable[]
  readonly entities: readonly EntityDescription[]
  /** The error of the last save. */
  readonly error: unknown
  onClose(): void
  onSave(variables: readonly Variable[]): Promise<boolean>
}

/** Edits the variables that readers of the view choose: an entity, or a tag of one. */
export function EditVariables({ variables: first, entities, error, onClose, onSave }: Props) {
  const [variables, set] = useState(first)
  const names = entities.map(({ entity }) => entity)
  const change = (place: number, part: Partial<Variable>): void =>
    set(variables.map((one, at) => (at === place ? { ...one, ...part } : one)))
  const add = (): void =>
    set([...variables, { name: `tag${variables.length + 1}`, kind: 'tag', entity: names[0] ?? '', value: '' }])
  const save = async (): Promise<void> => {
    if (
      await onSave(variables.map(({ entity, ...one }) => (one.kind === 'tag' ? { ...one, entity } : one) as Variable))
    )
      onClose()
  }
  return (
    <Dialog title="Variables" wide onClose={onClose} onSend={() => void save()}>
      <p>
        A reader chooses the value of a variable at the top of the view. Entities, tags, titles and texts refer to it as{' '}
        <code>$name</code>.
      </p>
      {variables.map((variable, place) => {
        const before = variables.slice(0, place).filter(({ kind }) => kind === 'entity')
        const choices = [...before.map(({ name }) => `$${name}`), ...names]
        return (
          <div class="grid-form ends" key={place}>
            <TextField label="Name" value={variable.name} onValue={(name) => change(place, { name })} required />
            <SelectField
              label="Is"
              value={variable.kind}
              choices={[
                { value: 'tag', text: 'a tag' },
                { value: 'entity', text: 'an entity' },
              ]}
              onValue={(kind) => change(place, { kind })}
            />
            {variable.kind === 'tag' && (
              <SelectField
                label="Of"
                value={variable.entity ?? ''}
                choices={[...new Set([variable.entity ?? '', ...choices])].map((name) => ({ value: name, text: name }))}
                onValue={(entity) => change(place, { entity })}
              />
            )}
            <TextField
              label="At first"
              value={variable.value}
              onValue={(value) => change(place, { value })}
              list={variable.kind === 'entity' ? names : undefined}
            />
            <button type="button" class="button" onClick={() => set(variables.filter((_, at) => at !== place))}>
              Remove
            </button>
          </div>
        )
      })}
      <div class="actions">
        <button type="button" class="button slim" onClick={add}>
          Add a variable
        </button>
      </div>
      <ProblemNote error={error} />
      <div class="actions end">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button first">
          Save
        </button>
      </div>
    </Dialog>
  )
}

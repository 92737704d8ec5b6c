import { useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { Check, SelectField, TextField } from '../../parts/inputs.tsx'
import { granularities, stepText } from './buckets.ts'
import { shifts, shiftText } from './compared.ts'
import { isBucketed } from './question.ts'
import { TagSearch } from './tag-search.tsx'
import { isComparable } from './use-earlier.ts'
import { drawable, type How, limitFaults, type View } from './view.ts'

interface Props {
  readonly view: View
  readonly entity: EntityDescription | undefined
  readonly entities: readonly EntityDescription[]
  onChange(part: Partial<View>): void
}

export const hows: readonly { readonly value: How; readonly text: string }[] = [
  { value: 'auto', text: 'Auto: no peak is lost' },
  { value: 'average', text: 'Mean of items' },
  { value: 'time_mean', text: 'Mean over time' },
  { value: 'band', text: 'Mean, least and greatest' },
  { value: 'rise', text: 'Rise of a counter' },
  { value: 'states', text: 'Time in each state' },
  { value: 'select', text: 'Raw items' },
  { value: 'snap', text: 'State at each tick' },
  { value: 'latest', text: 'Newest item of each tag' },
]

/** On a phone the chart comes first, so the choices start closed. */
const narrow = matchMedia('(max-width: 960px)')

/** Chooses the entity, tags, fields, and kind of chart. */
export function Choices({ view, entity, entities, onChange }: Props) {
  const [open] = useState(() => !narrow.matches)
  const names = entities.map(({ entity: name, of_service }) => ({
    value: name,
    text: of_service === true ? `${name} (the service’s own)` : name,
  }))
  const tags = entity?.fields.filter(({ role }) => role === 'tag').map(({ name }) => name) ?? []
  /** The tag field that the chosen tags are values of. */
  const chosenBy = (by: string): string | undefined => (by === '' ? tags[0] : by)
  const fields = entity === undefined ? [] : drawable(view.how, entity)
  /** Removes fields that cannot be drawn in this way from the choice: the list would not offer them for removal. */
  const show = (how: How): void => {
    const names = entity === undefined ? [] : drawable(how, entity).map(({ name }) => name)
    const kept = view.fields.filter((name) => names.includes(name))
    onChange({ how, fields: kept.length > 0 ? kept : names.slice(0, 1), right: [] })
  }
  const drawn = [view.entity, ...view.tags].slice(0, 4).join(', ')
  const clear = { tags: [], fields: [], right: [], by: '', range: '', from: '', to: '', zone: '' }
  const steps = [
    { value: '', text: 'to fit the width' },
    ...granularities.map((name) => ({ value: name, text: stepText(name) })),
  ]
  return (
    <details class="panel explore-what" open={open}>
      <summary>
        <h2>What</h2>
        <span class="soft small" dir="auto" title={drawn}>
          {drawn}
        </span>
      </summary>
      <div class="inside">
        <SelectField
          label="Entity"
          value={view.entity}
          choices={names}
          onValue={(name) => onChange({ ...clear, entity: name })}
        />
        {tags.length > 1 && (
          <SelectField
            label="A line for each"
            value={view.by}
            choices={[
              { value: '', text: tags.join(' / ') },
              ...tags.map((name) => ({ value: name, text: `${name} alone` })),
            ]}
            onValue={(by) => onChange({ by, tags: chosenBy(by) === chosenBy(view.by) ? view.tags : [], right: [] })}
          />
        )}
        {entity !== undefined && (
          <TagSearch
            entity={view.entity}
            by={view.by}
            chosen={view.tags}
            onChosen={(chosen) => onChange({ tags: chosen, right: [] })}
          />
        )}
        <SelectField label="Show" value={view.how} choices={hows} onValue={show} />
        {isBucketed(view.how) && (
          <SelectField
            label="Granularity"
            value={view.granularity}
            choices={steps}
            onValue={(granularity) => onChange({ granularity })}
          />
        )}
        <FieldChecks fields={fields} chosen={view.fields} onChosen={(fields) => onChange({ fields })} />
        {isComparable(view.how) && (
          <SelectField
            label="Compare with"
            value={view.shift}
            choices={
              shifts.some(({ value }) => value === view.shift)
                ? shifts
                : [...shifts, { value: view.shift, text: shiftText(view.shift) }]
            }
            onValue={(shift) => onChange({ shift })}
          />
        )}
        {view.how !== 'states' && view.how !== 'rise' && view.how !== 'latest' && (
          <AxisChoice view={view} onChange={onChange} />
        )}
      </div>
    </details>
  )
}

/** Settings of the left axis. */
function AxisChoice({ view, onChange }: Pick<Props, 'view' | 'onChange'>) {
  const [open] = useState(() => view.log || view.least !== '' || view.greatest !== '')
  return (
    <details open={open}>
      <summary>Axis at the left</summary>
      <div class="stack tight-stack axis-choice">
        <Check label="Logarithmic" checked={view.log} onChecked={(log) => onChange({ log })} />
        <TextField
          label="Least"
          value={view.least}
          placeholder="that of the lines"
          onValue={(least) => onChange({ least })}
        />
        <TextField
          label="Greatest"
          value={view.greatest}
          placeholder="that of the lines"
          onValue={(greatest) => onChange({ greatest })}
        />
        <div role="status">
          {limitFaults(view).map((fault) => (
            <p key={fault} class="fault">
              {fault}
            </p>
          ))}
        </div>
      </div>
    </details>
  )
}

interface FieldChecksProps {
  readonly fields: EntityDescription['fields']
  readonly chosen: readonly string[]
  onChosen(chosen: readonly string[]): void
}

export function FieldChecks({ fields, chosen, onChosen }: FieldChecksProps) {
  const toggle = (name: string, on: boolean): void =>
    onChosen(on ? [...chosen, name] : chosen.filter((other) => other !== name))
  return (
    <fieldset class="field-rows">
      <legend>Fields</legend>
      {fields.map(({ name, type }) => (
        <Check
          key={name}
          label={
            <>
              <span class="mono">{name}</span> <span class="soft small">{type}</span>
            </>
          }
          checked={chosen.includes(name)}
          onChecked={(on) => toggle(name, on)}
        />
      ))}
    </fieldset>
  )
}

import type { NewField } from '../../../../src/client/answers.ts'
import { type FieldRole, type FieldType, fieldTypes, metadataRoles, seriesRoles } from '../../../../src/model/field.ts'
import type { IngestKind } from '../../../../src/model/ingest.ts'

interface Props {
  readonly kind: IngestKind
  readonly fields: readonly NewField[]
  onFields(fields: readonly NewField[]): void
}

/** The fields of a new ingest, one per line. */
export function FieldRows({ kind, fields, onFields }: Props) {
  const roles: readonly FieldRole[] = kind === 'series' ? seriesRoles : metadataRoles
  const types = fieldTypes.filter((type) => kind === 'metadata' || type !== 'json')
  const change = (place: number, part: Partial<NewField>): void =>
    onFields(fields.map((field, index) => (index === place ? { ...field, ...part } : field)))
  const more: NewField = { name: '', type: 'double', role: kind === 'series' ? 'metric' : 'attribute' }
  return (
    <fieldset class="field-rows">
      <legend class="label">Fields</legend>
      {fields.map((field, place) => (
        <div class="field-row" key={place}>
          <input
            class="input mono"
            aria-label={`Name of field ${place + 1}`}
            value={field.name}
            onInput={(event) => change(place, { name: event.currentTarget.value })}
          />
          <select
            class="input"
            aria-label={`Type of field ${place + 1}`}
            value={field.type}
            onChange={(event) => change(place, { type: event.currentTarget.value as FieldType })}
          >
            {types.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
          <select
            class="input"
            aria-label={`Role of field ${place + 1}`}
            value={field.role}
            onChange={(event) => change(place, { role: event.currentTarget.value as FieldRole })}
          >
            {roles.map((role) => (
              <option key={role}>{role}</option>
            ))}
          </select>
          <button
            type="button"
            class="button plain"
            aria-label={`Leave field ${place + 1} out`}
            onClick={() => onFields(fields.filter((_, index) => index !== place))}
          >
            ×
          </button>
        </div>
      ))}
      <div class="actions">
        <button type="button" class="button slim" onClick={() => onFields([...fields, more])}>
          Another field
        </button>
      </div>
    </fieldset>
  )
}

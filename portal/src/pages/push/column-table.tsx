import type { CsvCell } from '../../../../src/lib/csv-parser.ts'
import { type Field, isRequired } from '../../../../src/model/field.ts'
import { TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/layout.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { type Columns, unfedFields, withColumn, withConstant } from './columns.ts'

interface Props {
  readonly columns: Columns
  /** The cells of the first row. */
  readonly first: readonly CsvCell[]
  readonly fields: readonly Field[]
  /** Whether unknown columns become new fields. */
  readonly isOpen: boolean
  /** Whether the push has begun, so that nothing can be changed any more. */
  readonly fixed: boolean
  onChange(columns: Columns): void
}

/** The field for each column, and constant values for other fields. */
export function ColumnTable({ columns, first, fields, isOpen, fixed, onChange }: Props) {
  const unfed = unfedFields(columns, fields)
  return (
    <Panel title="Columns and fields" tools={<span class="soft small">by name, until you choose</span>}>
      <TableFrame name="Columns">
        <thead>
          <tr>
            <th>Column</th>
            <th>Becomes the field</th>
            <th>First row</th>
          </tr>
        </thead>
        <tbody>
          {columns.header.map((name, place) => (
            <tr key={name}>
              <td class="main mono first-cell" dir="auto">
                {name === '' ? '(no name)' : name}
              </td>
              <td>
                <FieldChoice
                  name={name}
                  becomes={columns.become.get(name) ?? null}
                  fields={fields}
                  isOpen={isOpen}
                  fixed={fixed}
                  onChoose={(becomes) => onChange(withColumn(columns, name, becomes))}
                />
              </td>
              <td class="mono soft first-cell" dir="auto">
                {first[place] ?? ''}
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {unfed.length > 0 && (
        <div class="inside">
          <p class="small soft">
            No column becomes {unfed.length === 1 ? 'this field' : 'these fields'}. Give a value for every row, or leave
            it empty.
          </p>
          <fieldset class="grid-form plain-set" disabled={fixed}>
            {unfed.map((field) => (
              <TextField
                key={field.source}
                label={field.source}
                value={columns.constants.get(field.source) ?? ''}
                onValue={(value) => onChange(withConstant(columns, field.source, value))}
                hint={`${field.type}, ${field.role}${isRequired(field) ? ': needed' : ''}`}
                mono
              />
            ))}
          </fieldset>
        </div>
      )}
    </Panel>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly becomes: string | null
  readonly fields: readonly Field[]
  readonly isOpen: boolean
  readonly fixed: boolean
  onChoose(becomes: string | null): void
}

const leaveOut = 'out'

function FieldChoice({ name, becomes, fields, isOpen, fixed, onChoose }: ChoiceProps) {
  const isField = fields.some(({ source }) => source === name)
  const value = becomes === null ? leaveOut : `to ${becomes}`
  return (
    <select
      class="input slim"
      aria-label={`${name} becomes`}
      value={value}
      disabled={fixed}
      onChange={(event) => {
        const { value: chosen } = event.currentTarget
        onChoose(chosen === leaveOut ? null : chosen.slice(3))
      }}
    >
      {fields.map(({ source, type, role }) => (
        <option key={source} value={`to ${source}`}>
          {`${source} (${type}, ${role})`}
        </option>
      ))}
      {!isField && <option value={`to ${name}`}>{isOpen ? `${name} (a new field)` : `${name} (no such field)`}</option>}
      <option value={leaveOut}>leave it out</option>
    </select>
  )
}

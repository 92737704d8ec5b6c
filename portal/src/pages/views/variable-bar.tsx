import { useId } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { useQuery } from '../../shell/asking.ts'
import { tagsMax } from '../explore/tag-texts.ts'
import { type Cell, filled, partsOf, type Values, type Variable } from './definition.ts'

interface Props {
  readonly variables: readonly Variable[]
  readonly values: Values
  /** The cells whose tags contain the variables. */
  readonly cells: readonly Cell[]
  readonly entities: readonly EntityDescription[]
  onChoose(values: Values): void
}

/** Chooses a value for each variable of a view. */
export function VariableBar({ variables, values, cells, entities, onChoose }: Props) {
  if (variables.length === 0) return null
  return (
    <div class="range-bar">
      {variables.map((variable) => (
        <VariableChoice
          key={variable.name}
          {...{ variable, values, cells, entities }}
          onValue={(value) => onChoose(new Map([...values, [variable.name, value]]))}
        />
      ))}
    </div>
  )
}

interface ChoiceProps extends Omit<Props, 'variables' | 'onChoose'> {
  readonly variable: Variable
  onValue(value: string): void
}

function VariableChoice({ variable, values, cells, entities, onValue }: ChoiceProps) {
  const id = useId()
  const entity = filled(variable.entity ?? '', values)
  const isTag = variable.kind === 'tag' && entity !== ''
  const tags = useQuery((client) => client.tags(entity, { limit: tagsMax }), [entity], { skip: !isTag })
  const written = cells.filter((cell) => filled(cell.entity ?? '', values) === entity).flatMap(({ tags = [] }) => tags)
  const all = tags.value?.Items ?? []
  const names =
    variable.kind === 'entity'
      ? entities.map((one) => one.entity)
      : (partsOf(variable.name, written, all, values) ?? all)
  const chosen = values.get(variable.name) ?? ''
  return (
    <div class="range-group">
      <label class="small" for={id}>
        {variable.name}
      </label>
      <select id={id} class="input" value={chosen} onChange={(event) => onValue(event.currentTarget.value)}>
        {[...new Set([chosen, ...names])].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

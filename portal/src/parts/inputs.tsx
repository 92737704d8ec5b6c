import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface LabelledProps {
  readonly id: string
  readonly label: string
  readonly children: ComponentChildren
}

/** An input below its label, which refers to it by id. */
function Labelled({ id, label, children }: LabelledProps) {
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children}
    </div>
  )
}

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly value: string
  onValue(value: string): void
  readonly type?: 'text' | 'password' | 'search'
  readonly placeholder?: string
  readonly required?: boolean
  readonly mono?: boolean
  readonly list?: readonly string[]
}

export function TextField(props: FieldProps) {
  const { label, hint, value, onValue, type = 'text', placeholder, required, mono, list } = props
  const id = useId()
  return (
    <Labelled id={id} label={label}>
      <input
        id={id}
        class={mono === true ? 'input mono' : 'input'}
        {...({ type } as { type: 'text' })}
        value={value}
        placeholder={placeholder}
        required={required}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        list={list === undefined ? undefined : `${id}-list`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {list !== undefined && (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </Labelled>
  )
}

interface AreaProps {
  readonly label: string
  readonly value: string
  onValue(value: string): void
  readonly rows?: number
  readonly placeholder?: string
}

export function TextArea({ label, value, onValue, rows = 5, placeholder }: AreaProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label}>
      <textarea
        id={id}
        class="input mono"
        rows={rows}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </Labelled>
  )
}

export interface Choice<T extends string> {
  readonly value: T
  readonly text: string
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly choices: readonly Choice<T>[]
  onValue(value: T): void
}

export function SelectField<T extends string>({ label, value, choices, onValue }: ChoiceProps<T>) {
  const id = useId()
  const choose = (text: string): void => {
    const chosen = choices.find((choice) => choice.value === text)
    if (chosen !== undefined) onValue(chosen.value)
  }
  return (
    <Labelled id={id} label={label}>
      <select id={id} class="input" value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

/** A few choices side by side. */
export function Segments<T extends string>({ label, value, choices, onValue }: ChoiceProps<T>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in one line everywhere.
    <div class="segments" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          type="button"
          key={choice.value}
          aria-pressed={choice.value === value}
          onClick={() => onValue(choice.value)}
        >
          {choice.text}
        </button>
      ))}
    </div>
  )
}

interface CheckProps {
  readonly label: ComponentChildren
  readonly checked: boolean
  onChecked(checked: boolean): void
}

export function Check({ label, checked, onChecked }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChecked(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

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
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
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
    </div>
  )
}

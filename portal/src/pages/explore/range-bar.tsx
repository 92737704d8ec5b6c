import { useEffect, useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { Check, Segments } from '../../parts/inputs.tsx'
import { quickRanges, rangeOf, type View } from './view.ts'

interface Props {
  readonly view: View
  readonly entity: EntityDescription | undefined
  onChange(part: Partial<View>): void
}

const textOf = (ms: number): string => new Date(ms).toISOString().replace(/(:00)?\.000Z$/, '')

/** From when until when, in UTC. */
export function RangeBar({ view, entity, onChange }: Props) {
  const span = rangeOf(view, Date.now())
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  useEffect(() => {
    // The last hour begins at no millisecond that anybody wants to read.
    const unitMs = view.range === '' ? 1 : 1000
    setFrom(span === null ? view.from : textOf(span.fromMs - (span.fromMs % unitMs)))
    setTo(span === null ? view.to : textOf(span.toMs - (span.toMs % unitMs)))
  }, [view.range, view.from, view.to])
  const all = (): void => {
    if (entity?.first_date == null || entity.last_date === null) return
    onChange({ range: '', from: entity.first_date, to: entity.last_date, live: false })
  }
  return (
    <form
      class="range-bar"
      onSubmit={(event) => {
        event.preventDefault()
        onChange({ range: '', from, to, live: false })
      }}
    >
      <div class="range-group">
        <Segments
          label="The last"
          value={view.range}
          choices={quickRanges}
          onValue={(range) => onChange({ range, from: '', to: '' })}
        />
        <button type="button" class="button slim" onClick={all} disabled={entity?.first_date == null}>
          All
        </button>
      </div>
      <div class="range-group">
        <TimeInput label="From, UTC" value={from} onValue={setFrom} />
        <TimeInput label="To, UTC" value={to} onValue={setTo} />
        <button type="submit" class="button slim">
          Show
        </button>
      </div>
      <div class="range-group">
        <button type="button" class="button slim" onClick={() => history.back()}>
          Back
        </button>
        <Check
          label="Live"
          checked={view.live}
          onChecked={(live) =>
            onChange(live && view.range === '' ? { live, range: 'PT15M', from: '', to: '' } : { live })
          }
        />
      </div>
    </form>
  )
}

interface TimeInputProps {
  readonly label: string
  readonly value: string
  onValue(value: string): void
}

function TimeInput({ label, value, onValue }: TimeInputProps) {
  return (
    <input
      class="input slim mono"
      aria-label={label}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  )
}

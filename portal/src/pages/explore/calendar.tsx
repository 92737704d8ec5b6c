import { useId, useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import type { Span } from '../../parts/span.ts'
import { calendarText, typedRange, type View } from './view.ts'

interface Props {
  /** The initial range; null if the range cannot be parsed. */
  readonly span: Span | null
  readonly zone: string
  onClose(): void
  onRange(range: Pick<View, 'range' | 'from' | 'to'>): void
}

/** Chooses both ends of a range in the browser's own calendar, in the given zone. */
export function Calendar({ span, zone, onClose, onRange }: Props) {
  const [from, setFrom] = useState(span === null ? '' : calendarText(span.fromMs, zone))
  const [to, setTo] = useState(span === null ? '' : calendarText(span.toMs, zone))
  return (
    <Dialog
      title="Choose a range"
      onClose={onClose}
      onSend={() => {
        onClose()
        onRange(typedRange(from, to, zone, Date.now()))
      }}
    >
      <p>Both in the time zone {zone}.</p>
      <CalendarInput label="First" value={from} onValue={setFrom} />
      <CalendarInput label="Last" value={to} least={from} onValue={setTo} />
      <div class="actions end">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button first">
          Show it
        </button>
      </div>
    </Dialog>
  )
}

interface InputProps {
  readonly label: string
  readonly value: string
  /** The earliest allowed value. */
  readonly least?: string
  onValue(value: string): void
}

function CalendarInput({ label, value, least, onValue }: InputProps) {
  const id = useId()
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <input
        id={id}
        class="input"
        type="datetime-local"
        // In seconds.
        step={1}
        required
        value={value}
        min={least}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  )
}

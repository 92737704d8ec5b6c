import { useLayoutEffect, useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { Check, Segments } from '../../parts/inputs.tsx'
import { type Span, stepped, zoomed } from '../../parts/span.ts'
import { browserZone, clockText, zoneText } from '../../parts/zoned-time.ts'
import { goBack, useMayGoBack } from '../../shell/route.ts'
import { Calendar } from './calendar.tsx'
import { firstDate, fixed, quickRanges, rangeOf, typedRange, type View } from './view.ts'

interface Props {
  readonly view: View
  readonly entity: EntityDescription | undefined
  onChange(part: Partial<View>): void
  /** Changes the view without a history entry. */
  onAdjust(part: Partial<View>): void
}

const moves: readonly { readonly name: string; readonly sign: string; move(span: Span): Span }[] = [
  { name: 'Earlier', sign: '‹', move: (span) => stepped(span, -0.5) },
  { name: 'Later', sign: '›', move: (span) => stepped(span, 0.5) },
  { name: 'Zoom in', sign: '+', move: (span) => zoomed(span, 0.5) },
  { name: 'Zoom out', sign: '−', move: (span) => zoomed(span, 2) },
]

/** The start and end of the range, in a zone that is always named. */
export function RangeBar({ view, entity, onChange, onAdjust }: Props) {
  const nowMs = Date.now()
  const mayGoBack = useMayGoBack()
  const span = rangeOf(view, nowMs)
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [isChoosing, choose] = useState(false)
  useLayoutEffect(() => {
    // A relative range starts at an arbitrary millisecond, which is not worth showing.
    const unitMs = view.range === '' ? 1 : 1000
    const textOf = (ms: number): string => clockText(ms - (ms % unitMs), view.zone).replace(/:00$/, '')
    setFrom(span === null ? view.from : textOf(span.fromMs))
    setTo(span === null ? view.to : textOf(span.toMs))
  }, [view.range, view.from, view.to, view.zone])
  const first = entity === undefined ? null : firstDate(entity)
  const all = (): void => {
    if (first === null || entity?.last_date == null) return
    onChange({ range: '', from: first, to: entity.last_date, live: false })
  }
  return (
    <>
      <form
        class="range-bar"
        onSubmit={(event) => {
          event.preventDefault()
          onChange({ ...typedRange(from, to, view.zone, Date.now()), live: false })
        }}
      >
        <div class="range-group">
          <Segments
            label="The last"
            value={view.range}
            choices={quickRanges}
            onValue={(range) => onChange({ range, from: '', to: '' })}
          />
          {entity !== undefined && (
            <button type="button" class="button slim" onClick={all} disabled={first === null}>
              All
            </button>
          )}
        </div>
        <div class="range-group">
          <button type="button" class="button slim" onClick={goBack} disabled={!mayGoBack}>
            Back
          </button>
          {moves.map(({ name, sign, move }) => (
            <button
              type="button"
              key={name}
              class="button slim"
              aria-label={name}
              title={name}
              disabled={span === null}
              onClick={() => span !== null && onChange({ ...fixed(move(span)), live: false })}
            >
              {sign}
            </button>
          ))}
          {entity !== undefined && (
            <Check
              label="Live"
              checked={view.live}
              onChecked={(live) =>
                onChange(live && view.range === '' ? { live, range: 'PT15M', from: '', to: '' } : { live })
              }
            />
          )}
        </div>
        <div class="range-group">
          <TimeInput label={`From, ${view.zone}`} value={from} onValue={setFrom} />
          <TimeInput label={`To, ${view.zone}`} value={to} onValue={setTo} />
          <button type="submit" class="button slim">
            Show
          </button>
          <button
            type="button"
            class="button slim"
            aria-label="Calendar"
            title="Choose both in a calendar"
            onClick={() => choose(true)}
          >
            <svg class="calendar-sign" aria-hidden="true" viewBox="0 0 16 16">
              <path d="M1.5 3.5h13v11h-13zM1.5 6.5h13M5 1v4M11 1v4" />
            </svg>
          </button>
          <ZoneChoice
            zone={view.zone}
            entity={entity}
            atMs={span?.toMs ?? nowMs}
            onZone={(zone) => onAdjust({ zone, ...(span !== null && view.range === '' && fixed(span)) })}
          />
        </div>
      </form>
      {isChoosing && (
        <Calendar
          span={span}
          zone={view.zone}
          onClose={() => choose(false)}
          onRange={(range) => onChange({ ...range, live: false })}
        />
      )}
    </>
  )
}

interface ZoneProps {
  readonly zone: string
  readonly entity: EntityDescription | undefined
  readonly atMs: number
  onZone(zone: string): void
}

function ZoneChoice({ zone, entity, atMs, onZone }: ZoneProps) {
  const whose = [
    [entity?.time_zone, 'entity'],
    [browserZone(), 'browser'],
    ['UTC', ''],
    [zone, ''],
  ] as const
  const known = new Map<string, string[]>()
  for (const [name, owner] of whose) {
    if (name !== undefined) known.set(name, [...(known.get(name) ?? []), ...(owner === '' ? [] : [owner])])
  }
  return (
    <select
      class="input slim zone"
      aria-label="Time zone"
      value={zone}
      onChange={(event) => onZone(event.currentTarget.value)}
    >
      {[...known].map(([name, owners]) => (
        <option key={name} value={name}>
          {zoneText(name, atMs)}
          {owners.length > 0 && ` (${owners.join(', ')})`}
        </option>
      ))}
    </select>
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
      title="2026-01-31 08:00, 31.01.2026, yesterday, -6h"
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  )
}

import { clockText } from '../../parts/zoned-time.ts'
import { betweenText, type Cursors, firstCursors, nearestPlace } from './cursors.ts'

interface Props {
  readonly cursors: Cursors | null
  /** The possible positions of the cursors. */
  readonly seconds: readonly number[]
  readonly zone: string
  /** Explains the values at the cursors, if they are not those of items. */
  readonly note: string
  onCursors(cursors: Cursors | null): void
}

/** Two cursors, moved with a click into the chart or with keys. */
export function CursorBar({ cursors, seconds, zone, note, onCursors }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in one line everywhere.
    <div class="cursor-bar" role="group" aria-label="Cursors">
      <button
        type="button"
        class="button slim"
        aria-pressed={cursors !== null}
        disabled={seconds.length === 0}
        onClick={() => onCursors(cursors === null ? firstCursors(seconds) : null)}
      >
        Two cursors
      </button>
      {cursors !== null &&
        (['a', 'b'] as const).map((name) => (
          <CursorSlider
            key={name}
            name={name.toUpperCase()}
            second={cursors[name]}
            seconds={seconds}
            zone={zone}
            onSecond={(second) => onCursors({ ...cursors, [name]: second })}
          />
        ))}
      {cursors !== null && (
        <output class="number">
          B − A: <strong>{betweenText(cursors.b - cursors.a)}</strong>
        </output>
      )}
      {cursors !== null && note !== '' && <span class="soft small">{note}</span>}
    </div>
  )
}

interface SliderProps {
  readonly name: string
  readonly second: number
  readonly seconds: readonly number[]
  readonly zone: string
  onSecond(second: number): void
}

const steps = new Map([
  ['ArrowLeft', -1],
  ['ArrowDown', -1],
  ['ArrowRight', 1],
  ['ArrowUp', 1],
])

/** An arrow key moves the cursor to the next item. */
function CursorSlider({ name, second, seconds, zone, onSecond }: SliderProps) {
  const time = clockText(second * 1000, zone)
  const show = (place: number): void => {
    const next = seconds[place]
    if (next !== undefined) onSecond(next)
  }
  return (
    <label class="cursor">
      <span>
        {name} <span class="mono">{time}</span>
      </span>
      <input
        type="range"
        aria-label={`Cursor ${name}`}
        aria-valuetext={time}
        min={seconds[0]}
        max={seconds.at(-1)}
        step="any"
        value={second}
        onInput={(event) => show(nearestPlace(seconds, Number(event.currentTarget.value)))}
        onKeyDown={(event) => {
          const step = steps.get(event.key)
          if (step === undefined) return
          event.preventDefault()
          show(nearestPlace(seconds, second) + step)
        }}
      />
    </label>
  )
}

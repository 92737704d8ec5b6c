import { useEffect, useRef, useState } from 'preact/hooks'
import { textWithLongs } from '../../../src/lib/json-with-longs.ts'
import { valueText } from './formats.ts'
import type { RowTable } from './rows-stream.ts'
import { clockText } from './zoned-time.ts'

const rowPixels = 29
/** Browsers draw nothing taller than about 17 million pixels; a longer table scrolls in larger steps. */
const pixelsMax = 8_000_000
const extraRows = 12

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint'

/** Times appear on the clock of the given zone, or in UTC with a suffix if the page names no zone. */
export function cellText(value: unknown, zone: string | null = null): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : valueText(value)
  if (typeof value === 'string') return isoTime.test(value) ? shownTime(Date.parse(value), zone) : value
  return textWithLongs(value)
}

const shownTime = (ms: number, zone: string | null): string =>
  zone === null ? `${clockText(ms, 'UTC')} UTC` : clockText(ms, zone)

interface Props {
  readonly name: string
  readonly table: RowTable
  readonly height?: number
  /** The zone for times, if the page names one. */
  readonly zone?: string
}

/** A table that renders only its visible rows. */
export function BigTable({ name, table, height = 420, zone }: Props) {
  const container = useRef<HTMLElement>(null)
  const [top, setTop] = useState(0)
  const { columns, rows } = table
  useEffect(() => {
    container.current?.scrollTo(0, 0)
    setTop(0)
  }, [table])
  const whole = rows.length * rowPixels
  const drawn = Math.min(whole, pixelsMax)
  const span = Math.max(1, drawn - height)
  const first = Math.max(0, Math.floor((top / span) * Math.max(0, rows.length - height / rowPixels)) - extraRows)
  const last = Math.min(rows.length, first + Math.ceil(height / rowPixels) + 2 * extraRows)
  const isShort = whole <= height
  const before = isShort
    ? 0
    : Math.max(0, Math.min(drawn - (last - first) * rowPixels, top - (first === 0 ? top : extraRows * rowPixels)))
  return (
    <section
      ref={container}
      class="big-table"
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keyboard.
      tabIndex={0}
      style={{ maxHeight: `${height}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table class="table slim" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <th key={column} scope="col" dir="auto" class={isNumber(rows[0]?.[place]) ? 'right' : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr style={{ height: `${before}px` }} />}
          {rows.slice(first, last).map((row, index) => (
            <tr key={first + index} aria-rowindex={first + index + 2}>
              {columns.map((column, place) => (
                <Cell key={column} value={row[place]} zone={zone} />
              ))}
            </tr>
          ))}
          {!isShort && <tr style={{ height: `${Math.max(0, drawn - before - (last - first) * rowPixels)}px` }} />}
        </tbody>
      </table>
    </section>
  )
}

function Cell({ value, zone }: { readonly value: unknown; readonly zone: string | undefined }) {
  if (value === null || value === undefined) return <td class="soft null">null</td>
  // Text may be too long for its cell; a time never is.
  const isText = typeof value === 'string' && !isoTime.test(value)
  return (
    <td
      class={isNumber(value) ? 'right' : isText ? 'text' : undefined}
      dir={typeof value === 'string' ? 'auto' : undefined}
      title={typeof value === 'number' || isText ? String(value) : undefined}
    >
      {cellText(value, zone)}
    </td>
  )
}

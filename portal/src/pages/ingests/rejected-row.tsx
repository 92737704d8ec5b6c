import type { RejectedRowAnswer } from '../../../../src/client/answers.ts'
import { Time } from '../../parts/time.tsx'
import { faultIn } from './row-text.ts'

interface Props {
  readonly row: RejectedRowAnswer
  readonly chosen: boolean
  onChoose(id: string): void
  onMend(row: RejectedRowAnswer): void
}

/** Longer rows are shown by the part around their fault. */
const shownCharacters = 600

export function RejectedRow({ row, chosen, onChoose, onMend }: Props) {
  return (
    <tr class={chosen ? 'chosen' : undefined}>
      <td class="tight">
        <input
          type="checkbox"
          aria-label={`Choose row ${row.index + 1} of batch ${row.batch}`}
          checked={chosen}
          onChange={() => onChoose(row.id)}
        />
      </td>
      <td>
        <RowText text={row.row} field={row.field} />
        <p class="fault" dir="auto">
          {row.message}
        </p>
      </td>
      <td class="tight">
        <Time iso={row.received} />
        <p class="small soft">row {row.index + 1} of its batch</p>
      </td>
      <td class="tight">
        <button type="button" class="button slim" onClick={() => onMend(row)}>
          Mend…
        </button>
      </td>
    </tr>
  )
}

export function RowText({ text, field }: { readonly text: string; readonly field: string | null }) {
  const fault = faultIn(text, field)
  if (fault === null) return <pre dir="ltr">{cut(text, 0, shownCharacters)}</pre>
  const begin = Math.max(0, fault.start - shownCharacters / 2)
  const end = Math.min(text.length, fault.end + shownCharacters / 2)
  return (
    <pre dir="ltr">
      {cut(text, begin, fault.start)}
      <mark>
        <bdi>{cut(text, fault.start, fault.end)}</bdi>
      </mark>
      {cut(text, fault.end, end)}
    </pre>
  )
}

function cut(text: string, start: number, end: number): string {
  const shown = text.slice(start, Math.min(end, start + shownCharacters))
  return end - start > shownCharacters || (end < text.length && end - start === shownCharacters) ? `${shown}…` : shown
}

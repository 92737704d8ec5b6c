import type { RejectedRowAnswer } from '../../../../src/client/answers.ts'
import { RowText } from '../../parts/row-text.tsx'
import { Time } from '../../parts/time.tsx'

interface Props {
  readonly row: RejectedRowAnswer
  readonly chosen: boolean
  onChoose(id: string): void
  onMend(row: RejectedRowAnswer): void
}

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
      <td class="tight only-wide">
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

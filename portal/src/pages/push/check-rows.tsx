import { useEffect, useState } from 'preact/hooks'
import type { CheckAnswer } from '../../../../src/client/answers.ts'
import { Rejections } from '../../../../src/file-push/rejections.ts'
import { pushFormatOf } from '../../../../src/file-push/rows.ts'
import type { Field } from '../../../../src/model/field.ts'
import { countText, plural } from '../../parts/formats.ts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { pusherOf, useKeyMissing } from '../../session/push-key.ts'
import { type Columns, mappingOf } from './columns.ts'
import { firstRows, type RowsFile, rowsOf } from './file-rows.ts'

interface Props {
  readonly alias: string
  readonly rowsFile: RowsFile
  readonly columns: Columns
  readonly fields: readonly Field[]
}

/** The service takes no more in one check, unless it was set otherwise. */
const checkedRowsMax = 1000
const shownMax = 10

async function checked({ alias, rowsFile, columns, fields }: Props): Promise<CheckAnswer> {
  const rows = await firstRows(rowsOf(rowsFile, mappingOf(columns, fields)), checkedRowsMax)
  const format = pushFormatOf(rowsFile.format)
  const body = format === 'json' ? `[${rows.join(',')}]` : rows.join('\n')
  return pusherOf().check(alias, body, format)
}

/** Asks the service what would become of the first rows, by its own rules. Nothing is stored. */
export function CheckRows(props: Props) {
  const keyMissing = useKeyMissing()
  const [answer, setAnswer] = useState<CheckAnswer | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const { alias, rowsFile, columns } = props
  useEffect(() => setAnswer(null), [alias, rowsFile.file, rowsFile.format, columns])
  const ask = (): void => {
    setBusy(true)
    setError(null)
    void checked(props)
      .then(setAnswer, setError)
      .finally(() => setBusy(false))
  }
  return (
    <>
      <div class="actions">
        <button type="button" class="button" disabled={busy || keyMissing} onClick={ask}>
          Check with the service
        </button>
        <span class="soft small">Judges the first {countText(checkedRowsMax)} rows, and stores nothing.</span>
      </div>
      <ProblemNote error={error} />
      {answer !== null && <Outcome answer={answer} />}
    </>
  )
}

function Outcome({ answer: { rows, stored, rejected, errors } }: { readonly answer: CheckAnswer }) {
  const rejections = new Rejections(shownMax)
  rejections.add(1, errors)
  return (
    <div class={`note ${rejected === 0 ? 'good' : 'warn'}`} role="status">
      <p>
        Of the first {plural(rows, 'row')} {countText(stored)} would be stored, {countText(rejected)} would be rejected.
      </p>
      {rejections.errors.map(({ row, message }) => (
        <p key={row} dir="auto">
          Row {countText(row)}: {message}
        </p>
      ))}
      {rejected > shownMax && <p>… and {countText(rejected - shownMax)} more.</p>}
    </div>
  )
}

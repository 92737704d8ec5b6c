import { useEffect, useState } from 'preact/hooks'
import type { CheckAnswer } from '../../../../src/client/answers.ts'
import { Rejections } from '../../../../src/file-push/rejections.ts'
import { countText, plural } from '../../parts/formats.ts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { pusherOf, useKeyMissing } from '../../session/push-key.ts'
import type { ShownIngest } from '../ingests/side.ts'
import { type Columns, mappingOf } from './columns.ts'
import { firstBatch, type RowsFile, rowsOf, targetFor } from './file-rows.ts'

interface Props {
  readonly ingest: ShownIngest
  readonly rowsFile: RowsFile
  readonly columns: Columns
}

/** The service's default limit for one check. */
const checkedRowsMax = 1000
const shownMax = 10

interface Checked {
  readonly answer: CheckAnswer
  readonly rejections: Rejections
  readonly place: 'Line' | 'Row'
}

const nothing: CheckAnswer = { rows: 0, stored: 0, rejected: 0, errors: [] }

async function checked({ ingest, rowsFile, columns }: Props): Promise<Checked> {
  const target = targetFor(ingest, rowsFile, pusherOf())
  const batch = await firstBatch(rowsOf(rowsFile, mappingOf(columns, ingest.fields)), target, checkedRowsMax)
  const answer = batch === null ? nothing : await target.check(batch)
  const rejections = new Rejections(shownMax)
  rejections.add(1, answer.errors, batch === null ? undefined : target.linesOf(batch))
  return { answer, rejections, place: target.noun === 'line' ? 'Line' : 'Row' }
}

/** Has the service validate the first rows by its own rules, without storing them. */
export function CheckRows(props: Props) {
  const keyMissing = useKeyMissing()
  const [outcome, setOutcome] = useState<Checked | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const { ingest, rowsFile, columns } = props
  useEffect(() => setOutcome(null), [ingest.alias, rowsFile.file, rowsFile.format, rowsFile.precision, columns])
  const ask = (): void => {
    setBusy(true)
    setError(null)
    void checked(props)
      .then(setOutcome, setError)
      .finally(() => setBusy(false))
  }
  return (
    <>
      <div class="actions">
        <button type="button" class="button" disabled={busy || keyMissing} onClick={ask}>
          Check with the service
        </button>
        <span class="soft small">Validates the first {countText(checkedRowsMax)} rows, and stores nothing.</span>
      </div>
      <ProblemNote error={error} />
      {outcome !== null && <Outcome checked={outcome} />}
    </>
  )
}

function Outcome({ checked: { answer, rejections, place } }: { readonly checked: Checked }) {
  // Line protocol gets no hints, so an index is always that of a row.
  const { rows, stored, rejected, hints = [] } = answer
  return (
    <div class={`note ${rejected + hints.length === 0 ? 'good' : 'warn'}`} role="status">
      <p>
        Of the first {plural(rows, 'row')} {countText(stored)} would be stored, {countText(rejected)} would be rejected.
      </p>
      {rejections.errors.map(({ row, message }, index) => (
        <p key={index} dir="auto">
          {place} {countText(row)}: {message}
        </p>
      ))}
      {hints.map(({ index, message }) => (
        <p key={message} dir="auto">
          {place} {countText(index + 1)}: {message}
        </p>
      ))}
      {rejected > shownMax && <p>… and {countText(rejected - shownMax)} more.</p>}
    </div>
  )
}

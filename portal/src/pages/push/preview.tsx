import type { FileFormat } from '../../../../src/file-push/file-name.ts'
import { misreadText } from '../../../../src/file-push/misread-times.ts'
import { plural } from '../../parts/formats.ts'
import { Empty, Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { RowText } from '../../parts/row-text.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import type { PreviewRows, ValidatedRow } from './use-preview.ts'

interface Props {
  readonly preview: PreviewRows
  readonly format: FileFormat
}

/** The first rows as they will be pushed, with the expected result of validation for each. */
export function Preview({ preview: { rows, misread, isMostlyMisread, error }, format }: Props) {
  const noun = format === 'lp' ? 'line' : 'row'
  return (
    <div class="capped">
      <Panel
        title={`The first ${noun}s, as they will be validated`}
        tools={
          <span class="soft small" role="status">
            {summaryOf(rows ?? [], noun)}
          </span>
        }
      >
        <ProblemNote error={error} />
        {misread !== null && (
          <div class="note warn" role="status">
            <p dir="auto">
              {misreadText(misread, `${misread.property} of row ${misread.row}`)}
              {isMostlyMisread && ' Choose the format of times above: nothing is pushed until then.'}
            </p>
          </div>
        )}
        {rows?.length === 0 && (
          <Empty title="There is no row in it">
            <p>A CSV file has a header and rows under it; NDJSON and line protocol have a row on each line.</p>
          </Empty>
        )}
        {rows !== null && rows.length > 0 && (
          <TableFrame name="First rows">
            <thead>
              <tr>
                <th>{noun === 'line' ? 'Line' : 'Row'}</th>
                <th>As it is pushed</th>
                <th>Will be</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, place) => (
                <tr key={place}>
                  <td class="tight number soft">{place + 1}</td>
                  <td>
                    <RowText text={row.text} field={noun === 'line' ? null : (row.faults[0]?.field ?? null)} />
                    {row.faults.map(({ message }, index) => (
                      <p class="fault" dir="auto" key={index}>
                        {message}
                      </p>
                    ))}
                  </td>
                  <td class="tight">
                    <VerdictPill row={row} />
                  </td>
                </tr>
              ))}
            </tbody>
          </TableFrame>
        )}
      </Panel>
    </div>
  )
}

function summaryOf(rows: readonly ValidatedRow[], noun: 'row' | 'line'): string {
  if (rows.length === 0) return ''
  if (rows.some(({ verdict }) => verdict === 'not validated')) return 'not validated yet: check with the service'
  const faulty = rows.filter(({ faults }) => faults.length > 0).length
  if (faulty === 0) return `all of the first ${rows.length} will be stored`
  return `${faulty} of the first ${plural(rows.length, noun)} will be rejected`
}

const tones = {
  stored: 'pill good',
  rejected: 'pill bad',
  refused: 'pill bad',
  'no row': 'pill',
  'not validated': 'pill',
}

export function VerdictPill({ row: { verdict } }: { readonly row: ValidatedRow }) {
  return <span class={tones[verdict]}>{verdict}</span>
}

import { plural } from '../../parts/formats.ts'
import { Empty, Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { RowText } from '../../parts/row-text.tsx'
import { TableRoom } from '../../parts/table-room.tsx'
import type { JudgedRow, PreviewRows } from './use-preview.ts'

/** The first rows as they will be pushed, and what the service will say of each. */
export function Preview({ preview: { rows, error } }: { readonly preview: PreviewRows }) {
  const faulty = (rows ?? []).filter(({ fault }) => fault !== null).length
  const summary =
    rows === null || rows.length === 0
      ? ''
      : faulty === 0
        ? `all of the first ${rows.length} will be stored`
        : `${faulty} of the first ${plural(rows.length, 'row')} will be rejected`
  return (
    <div class="capped">
      <Panel
        title="The first rows, as they will be judged"
        tools={
          <span class="soft small" role="status">
            {summary}
          </span>
        }
      >
        <ProblemNote error={error} />
        {rows?.length === 0 && (
          <Empty title="There is no row in it">
            <p>A CSV file has a header and rows under it; an NDJSON file has a row on each line.</p>
          </Empty>
        )}
        {rows !== null && rows.length > 0 && (
          <TableRoom name="First rows">
            <thead>
              <tr>
                <th>Row</th>
                <th>As it is pushed</th>
                <th>Will be</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, place) => (
                <tr key={place}>
                  <td class="tight number soft">{place + 1}</td>
                  <td>
                    <RowText text={row.text} field={row.fault?.field ?? null} />
                    {row.fault !== null && (
                      <p class="fault" dir="auto">
                        {row.fault.message}
                      </p>
                    )}
                  </td>
                  <td class="tight">
                    <Verdict row={row} />
                  </td>
                </tr>
              ))}
            </tbody>
          </TableRoom>
        )}
      </Panel>
    </div>
  )
}

export function Verdict({ row: { fault } }: { readonly row: JudgedRow }) {
  if (fault === null) return <span class="pill good">stored</span>
  return <span class="pill bad">{fault.code === 'invalid_json' ? 'refused' : 'rejected'}</span>
}

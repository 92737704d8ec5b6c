import { useState } from 'preact/hooks'
import type { BatchAnswer } from '../../../../src/client/answers.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { countText } from '../../parts/formats.ts'
import { Empty, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { useQuery } from '../../shell/asking.ts'
import { filterLink } from './filter.ts'
import { sideOf } from './side.ts'

const shownBatches = 20

/** The newest pushes with faults; pushes without faults are not listed. */
export function Batches({ alias }: { readonly alias: string }) {
  const [open, show] = useState<BatchAnswer | null>(null)
  const batches = useQuery((client) => client.batches(alias, { limit: shownBatches }, sideOf()), [alias], {
    everyMs: 10_000,
  })
  return (
    <Panel title="Pushes with faults" tools={<span class="soft small">the newest {shownBatches}</span>}>
      <ProblemNote error={batches.error} />
      {batches.value === null && batches.error === null && <Waiting />}
      {batches.value?.Items.length === 0 && (
        <Empty title="None">
          <p>Every push to this ingest so far was stored whole.</p>
        </Empty>
      )}
      {(batches.value?.Items.length ?? 0) > 0 && (
        <TableFrame name="Pushes with faults">
          <thead>
            <tr>
              <th>Received</th>
              <th class="right">Rows</th>
              <th class="right">Stored</th>
              <th class="right">Rejected</th>
              <th>
                <span class="unseen">More</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {batches.value!.Items.map((batch) => (
              <tr key={batch.batch}>
                <td class="tight">
                  <Time iso={batch.received} />
                </td>
                <td class="right">{countText(batch.rows)}</td>
                <td class="right">{countText(batch.stored)}</td>
                <td class="right">{countText(batch.rejected)}</td>
                <td class="tight">
                  <a class="button slim" href={filterLink(alias, { batch: batch.batch })}>
                    Rows
                  </a>{' '}
                  {sideOf() === 'own' && (
                    <button type="button" class="button slim" onClick={() => show(batch)}>
                      Receipt
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      {open !== null && <ReceiptDialog alias={alias} batch={open.batch} onClose={() => show(null)} />}
    </Panel>
  )
}

interface ReceiptProps {
  readonly alias: string
  readonly batch: string
  onClose(): void
}

function ReceiptDialog({ alias, batch, onClose }: ReceiptProps) {
  const receipt = useQuery((client) => client.receipt(alias, batch), [alias, batch])
  return (
    <Dialog title="Receipt" wide onClose={onClose} onSend={onClose}>
      <p class="mono small soft">{batch}</p>
      <ProblemNote error={receipt.error} />
      {receipt.value !== null && (
        <>
          <p>
            {countText(receipt.value.rows)} rows: {countText(receipt.value.stored)} stored,{' '}
            {countText(receipt.value.rejected)} rejected, {countText(receipt.value.pending)} waiting.
          </p>
          <ul class="small">
            {receipt.value.errors.map(({ index, message }) => (
              <li key={index} dir="auto">
                Row {countText(index + 1)}: {message}
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="actions end">
        <button type="submit" class="button first">
          Close
        </button>
      </div>
    </Dialog>
  )
}

import type { IngestAnswer } from '../../../../src/client/answers.ts'
import { EntityName, isOwn } from '../../parts/entity-name.tsx'
import { countText } from '../../parts/formats.ts'
import { Empty } from '../../parts/layout.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { linkTo } from '../../shell/link.ts'

/** A score for sorting: blocked ingests first, then those with the largest share of rejected rows, then those with pending rows. */
function problemCount({ state, counters }: IngestAnswer): number {
  const rejectedPart = counters.received === 0 ? 0 : counters.rejected / counters.received
  return (
    (state === 'blocked' ? 10 : 0) +
    rejectedPart * 5 +
    (counters.rejected > 0 ? 1 : 0) +
    (counters.pending > 0 ? 0.1 : 0)
  )
}

interface Props {
  readonly ingests: readonly IngestAnswer[]
  /** Opens the form for a new ingest. */
  onMake?(): void
}

export function IngestTable({ ingests, onMake }: Props) {
  if (ingests.length === 0) {
    return (
      <Empty title="No ingest yet">
        <p>
          An ingest is a name that rows are pushed to. It says which fields a row has, and feeds an entity that is
          queried.
        </p>
        {onMake === undefined ? (
          <a class="button first" href={linkTo(['ingests'])}>
            Make one
          </a>
        ) : (
          <button type="button" class="button first" onClick={onMake}>
            Make the first one
          </button>
        )}
      </Empty>
    )
  }
  const sorted = ingests.toSorted(
    (a, b) =>
      Number(isOwn(a.alias)) - Number(isOwn(b.alias)) ||
      problemCount(b) - problemCount(a) ||
      (a.alias < b.alias ? -1 : 1),
  )
  return (
    <TableFrame name="Ingests">
      <thead>
        <tr>
          <th>Ingest</th>
          <th>State</th>
          <th class="right">Received</th>
          <th class="right">Stored</th>
          <th class="right">Rejected</th>
          <th class="right">Waiting</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((ingest) => (
          <tr key={ingest.alias}>
            <td class="main">
              <a href={linkTo(['ingests', ingest.alias])}>
                <EntityName name={ingest.alias} />
              </a>
            </td>
            <td class="tight">
              <StatePill ingest={ingest} />
            </td>
            <td class="right">{countText(ingest.counters.received)}</td>
            <td class="right">{countText(ingest.counters.stored)}</td>
            <td class="right">{countText(ingest.counters.rejected)}</td>
            <td class="right">{countText(ingest.counters.pending)}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}

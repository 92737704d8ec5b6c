import { useEffect, useState } from 'preact/hooks'
import type { RejectedKindAnswer } from '../../../../src/client/answers.ts'
import { Empty, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useQuery } from '../../shell/asking.ts'
import { usePlace } from '../../shell/route.ts'
import { filterOf, isFiltered } from './filter.ts'
import { RejectedGroups } from './rejected-groups.tsx'
import { RejectedRows } from './rejected-rows.tsx'
import { type ShownIngest, sideOf } from './side.ts'

/** The rejected rows and their faults: by kind, and row by row. */
export function Rejected({ ingest, onChanged }: { readonly ingest: ShownIngest; onChanged(): void }) {
  const { alias } = ingest
  const filter = filterOf(usePlace())
  const [changes, count] = useState(0)
  const summary = useQuery((client) => client.rejectedSummary(alias, sideOf()), [alias], { everyMs: 10_000 })
  const { again } = summary
  useEffect(again, [again, ingest.counters?.rejected])
  const changed = (): void => {
    count((before) => before + 1)
    again()
    onChanged()
  }
  const groups = summary.value ?? []
  const rows = groups.reduce((sum, group) => sum + group.count, 0)
  return (
    <Panel title="Rejected rows">
      <ProblemNote error={summary.error} />
      {summary.value === null && summary.error === null && <Waiting />}
      {summary.value !== null && rows === 0 && !isFiltered(filter) && <NothingRejected />}
      {rows > 0 && <RejectedGroups ingest={ingest} groups={groups} filter={filter} onChanged={changed} />}
      {(rows > 0 || isFiltered(filter)) && (
        <RejectedRows
          key={JSON.stringify([filter, changes])}
          ingest={ingest}
          filter={filter}
          all={rowsOf(groups, filter.code, filter.field, filter.batch)}
          onChanged={changed}
        />
      )}
    </Panel>
  )
}

/** The number of rows that match a filter, if the groups suffice to compute it. */
function rowsOf(groups: readonly RejectedKindAnswer[], code?: string, field?: string, batch?: string): number | null {
  if (batch !== undefined) return null
  const those = groups.filter(
    (group) => (code === undefined || group.code === code) && (field === undefined || group.field === field),
  )
  return those.reduce((sum, group) => sum + group.count, 0)
}

function NothingRejected() {
  return (
    <Empty title="No rejected rows">
      <p>
        A pushed row is stored, or kept here with the reason: a missing time, a string in place of a number, a property
        without a field. Here you can mend it, validate it again or discard it. No row is dropped silently.
      </p>
    </Empty>
  )
}

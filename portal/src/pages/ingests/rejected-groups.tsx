import { useState } from 'preact/hooks'
import type { RejectedKindAnswer } from '../../../../src/client/answers.ts'
import { countText } from '../../parts/formats.ts'
import { membersOf } from '../../parts/row-members.ts'
import { DeedsHead, TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { mayDo } from '../../session/session.ts'
import { useQuery } from '../../shell/asking.ts'
import { AddField } from './add-field.tsx'
import { filterLink, type RejectedFilter } from './filter.ts'
import { type ShownIngest, sideOf } from './side.ts'

interface Props {
  readonly ingest: ShownIngest
  readonly groups: readonly RejectedKindAnswer[]
  readonly filter: RejectedFilter
  onChanged(): void
}

/** Each kind of fault with its number of rows. */
export function RejectedGroups({ ingest, groups, filter, onChanged }: Props) {
  const [adding, add] = useState<RejectedKindAnswer | null>(null)
  return (
    <>
      <TableFrame name="Faults">
        <thead>
          <tr>
            <th>Fault</th>
            <th>Property</th>
            <th class="right">Rows</th>
            <th>First</th>
            <th>Last</th>
            <DeedsHead />
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={`${group.code} ${group.field ?? ''}`} class={isShown(group, filter) ? 'chosen' : undefined}>
              <td class="main tight">
                <a
                  href={linkOf(ingest.alias, group, filter)}
                  aria-current={isShown(group, filter) ? 'true' : undefined}
                >
                  {group.code.replaceAll('_', ' ')}
                </a>
              </td>
              <td class="mono" dir="auto">
                {group.field ?? <span class="soft">the whole row</span>}
              </td>
              <td class="right">{countText(group.count)}</td>
              <td class="tight">
                <Time iso={group.first} />
              </td>
              <td class="tight">
                <Time iso={group.last} />
              </td>
              <td class="tight">
                {group.code === 'unknown_field' && group.field !== null && mayDo('admin') && (
                  <button type="button" class="button slim" onClick={() => add(group)}>
                    Add the field and replay…
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
      {adding !== null && (
        <AddKnownField ingest={ingest} group={adding} onClose={() => add(null)} onChanged={onChanged} />
      )}
    </>
  )
}

const isShown = (group: RejectedKindAnswer, { code, field }: RejectedFilter): boolean =>
  code === group.code && (field ?? null) === group.field

/** The link of a group's filter; for the current group, the link that removes the filter. */
function linkOf(alias: string, group: RejectedKindAnswer, filter: RejectedFilter): string {
  if (isShown(group, filter)) return filterLink(alias, {})
  return filterLink(alias, { code: group.code, ...(group.field === null ? {} : { field: group.field }) })
}

interface KnownProps {
  readonly ingest: ShownIngest
  readonly group: RejectedKindAnswer
  onClose(): void
  onChanged(): void
}

/** Proposes a field based on the value of an example row. */
function AddKnownField({ ingest, group, onClose, onChanged }: KnownProps) {
  const filter = { code: group.code, field: group.field! }
  const example = useQuery((client) => client.rejected(ingest.alias, { ...filter, limit: 1 }, sideOf()), [filter])
  if (example.value === null && example.error === null) return null
  const row = example.value?.Items[0]?.row ?? ''
  const value = membersOf(row)?.findLast(({ name }) => name === group.field)?.value ?? ''
  return (
    <AddField
      ingest={ingest}
      source={group.field!}
      value={value}
      replay={filter}
      onClose={onClose}
      onChanged={onChanged}
    />
  )
}

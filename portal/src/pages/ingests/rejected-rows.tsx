import { useState } from 'preact/hooks'
import type { RejectedRowAnswer } from '../../../../src/client/answers.ts'
import { countText, plural } from '../../parts/formats.ts'
import { Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { RowText } from '../../parts/row-text.tsx'
import { DeedsHead, TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { clientOf } from '../../session/session.ts'
import { useAction, useQuery } from '../../shell/asking.ts'
import { filterLink, isFiltered, type RejectedFilter, requestOf } from './filter.ts'
import { MendRow } from './mend-row.tsx'
import { RowDeeds } from './row-deeds.tsx'
import { type ShownIngest, sideOf } from './side.ts'

interface Props {
  readonly ingest: ShownIngest
  readonly filter: RejectedFilter
  /** The total number of rows, if known. */
  readonly all: number | null
  onChanged(): void
}

const firstRows = 50
const moreRows = 500

export function RejectedRows({ ingest, filter, all, onChanged }: Props) {
  const { alias } = ingest
  const [more, setMore] = useState<readonly RejectedRowAnswer[]>([])
  const [token, setToken] = useState<string | null | undefined>()
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const [mending, mend] = useState<RejectedRowAnswer | null>(null)
  const loading = useAction()
  const first = useQuery((client) => client.rejected(alias, { ...filter, limit: firstRows }, sideOf()), [alias, filter])
  if (first.value === null) return first.error === null ? <Waiting /> : <ProblemNote error={first.error} />
  const rows = [...first.value.Items, ...more]
  const next = token === undefined ? first.value.NextToken : token
  const load = (): Promise<boolean> =>
    loading.run(async (signal) => {
      const page = await clientOf(signal).rejected(alias, { ...requestOf(filter, next), limit: moreRows }, sideOf())
      setMore([...more, ...page.Items])
      setToken(page.NextToken)
    })
  return (
    <>
      <RowDeeds
        alias={alias}
        filter={filter}
        all={all}
        areLines={rows.some(({ precision }) => precision !== undefined)}
        chosen={rows.filter(({ id }) => chosen.has(id))}
        onChanged={onChanged}
      />
      {isFiltered(filter) && <FilterLine alias={alias} filter={filter} />}
      <RowTable rows={rows} chosen={chosen} onChosen={choose} onMend={mend} />
      <div class="inside actions">
        <span class="soft small">{shownText(rows.length, all)}</span>
        {next !== null && (
          <button type="button" class="button slim" disabled={loading.busy} onClick={() => void load()}>
            Show more
          </button>
        )}
      </div>
      <ProblemNote error={loading.error} />
      {mending !== null && <MendRow ingest={ingest} row={mending} onClose={() => mend(null)} onChanged={onChanged} />}
    </>
  )
}

interface TableProps {
  readonly rows: readonly RejectedRowAnswer[]
  readonly chosen: ReadonlySet<string>
  onChosen(chosen: ReadonlySet<string>): void
  onMend(row: RejectedRowAnswer): void
}

function RowTable({ rows, chosen, onChosen, onMend }: TableProps) {
  const toggle = (id: string): void => {
    const others = new Set(chosen)
    if (!others.delete(id)) others.add(id)
    onChosen(others)
  }
  const allChosen = rows.length > 0 && rows.every(({ id }) => chosen.has(id))
  return (
    <TableFrame name="Rejected rows">
      <thead>
        <tr>
          <th class="tight">
            <input
              type="checkbox"
              aria-label="Choose all that are shown"
              checked={allChosen}
              onChange={() => onChosen(allChosen ? new Set() : new Set(rows.map(({ id }) => id)))}
            />
          </th>
          <th>Row as pushed, and its fault</th>
          <th class="only-wide">Received</th>
          <DeedsHead />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <RejectedRow key={row.id} row={row} chosen={chosen.has(row.id)} onChoose={toggle} onMend={onMend} />
        ))}
      </tbody>
    </TableFrame>
  )
}

function shownText(shown: number, all: number | null): string {
  return all === null || all <= shown
    ? `${plural(shown, 'row')} shown`
    : `${countText(shown)} of ${plural(all, 'row')} shown`
}

function FilterLine({ alias, filter }: { readonly alias: string; readonly filter: RejectedFilter }) {
  return (
    <p class="inside small filter-line">
      Only rows with{' '}
      {Object.entries(filter).map(([name, value]) => (
        <span class="label-tag" key={name} dir="auto">
          {name}: {value}
        </span>
      ))}{' '}
      <a href={filterLink(alias, {})}>Show all</a>
    </p>
  )
}

interface RowProps {
  readonly row: RejectedRowAnswer
  readonly chosen: boolean
  onChoose(id: string): void
  onMend(row: RejectedRowAnswer): void
}

function RejectedRow({ row, chosen, onChoose, onMend }: RowProps) {
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

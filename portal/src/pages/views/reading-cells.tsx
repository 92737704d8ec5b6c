import type { EntityDescription } from '../../../../src/client/answers.ts'
import { cellText } from '../../parts/big-table.tsx'
import { durationText, valueText } from '../../parts/formats.ts'
import { Empty, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { clockText } from '../../parts/zoned-time.ts'
import { type QueryState, useQuery } from '../../shell/asking.ts'
import { rangeOf, type View } from '../explore/view.ts'
import { When } from '../overview/when.tsx'
import { type Reading, readings } from './readings.ts'

interface Props {
  readonly view: View
  readonly entity: EntityDescription
  readonly kind: 'value' | 'table'
}

const refreshMs = 15_000

/** The newest values, in large type or as a table. */
export function ReadingCell({ view, entity, kind }: Props) {
  const isLive = view.range !== ''
  const asked = useQuery(
    (client) => {
      const span = rangeOf(view, Date.now())
      if (span === null) throw new Error('The range of the view cannot be read.')
      return readings(client, { view, entity, span, isRange: kind === 'table' })
    },
    [view, kind],
    isLive ? { everyMs: refreshMs } : {},
  )
  return <Shown asked={asked} kind={kind} zone={view.zone} isMany={view.fields.length > 1} />
}

interface ShownProps {
  readonly asked: QueryState<Reading[]>
  readonly kind: 'value' | 'table'
  readonly zone: string
  /** Whether there are several metrics. */
  readonly isMany: boolean
}

function Shown({ asked: { value, error }, kind, zone, isMany }: ShownProps) {
  if (value === null) return error === null ? <Waiting /> : <ProblemNote error={error} />
  if (value.length === 0) {
    return (
      <Empty title="No items of these tags">
        <p>They have none up to the end of the range.</p>
      </Empty>
    )
  }
  return (
    <>
      <ProblemNote error={error} />
      {kind === 'value' ? <Values all={value} isMany={isMany} /> : <Table all={value} isMany={isMany} zone={zone} />}
    </>
  )
}

const shownValue = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'number' ? valueText(value) : cellText(value)

const nameOf = ({ name, field }: Reading, isMany: boolean): string => (isMany ? `${name} · ${field}` : name)

function Values({ all, isMany }: { readonly all: readonly Reading[]; readonly isMany: boolean }) {
  const nowMs = Date.now()
  return (
    <ul class="inside view-values">
      {all.map((reading) => (
        <li key={`${reading.name} ${reading.field}`}>
          <h3 dir="auto">{reading.description === '' ? nameOf(reading, isMany) : reading.description}</h3>
          <p class="look-value number" title={reading.value === null ? undefined : String(reading.value)}>
            {shownValue(reading.value)} <span class="soft">{reading.unit}</span>
          </p>
          {reading.description !== '' && <p class="soft small mono">{nameOf(reading, isMany)}</p>}
          {reading.ms !== null && (
            <p class="soft small">
              <When ms={reading.ms} nowMs={nowMs} />
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

interface TableProps {
  readonly all: readonly Reading[]
  readonly isMany: boolean
  readonly zone: string
}

function Table({ all, isMany, zone }: TableProps) {
  const nowMs = Date.now()
  const number = (value: number | null) => (
    <td class="right" title={value === null ? undefined : String(value)}>
      {value === null ? '–' : valueText(value)}
    </td>
  )
  return (
    <TableFrame name="Newest values">
      <thead>
        <tr>
          <th>Tag</th>
          <th class="right">Newest</th>
          <th class="right">Least</th>
          <th class="right">Mean</th>
          <th class="right">Greatest</th>
          <th>When</th>
        </tr>
      </thead>
      <tbody>
        {all.map((reading) => (
          <tr key={`${reading.name} ${reading.field}`}>
            <td>
              <bdi>{nameOf(reading, isMany)}</bdi>
              {reading.description !== '' && <div class="soft small">{reading.description}</div>}
            </td>
            <td class="right" title={reading.value === null ? undefined : String(reading.value)}>
              {shownValue(reading.value)} <span class="soft">{reading.unit}</span>
            </td>
            {number(reading.least)}
            {number(reading.mean)}
            {number(reading.greatest)}
            <td class="number" title={reading.ms === null ? undefined : `${clockText(reading.ms, zone)} (${zone})`}>
              {reading.ms === null ? '–' : `${durationText(Math.max(0, Math.round((nowMs - reading.ms) / 1000)))} ago`}
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}

import { useMemo, useState } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { BigTable } from '../../parts/big-table.tsx'
import { Chart } from '../../parts/chart.tsx'
import { plural } from '../../parts/formats.ts'
import { Empty, Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { LineLegend } from './line-legend.tsx'
import { linesOf } from './lines.ts'
import { SaveAndCopy } from './save-and-copy.tsx'
import { type Shown, useRows } from './use-rows.ts'
import { requestOf, stepText, tagsShown, type View } from './view.ts'

interface Props {
  readonly view: View
  readonly entity: EntityDescription
  onChange(part: Partial<View>): void
}

/** As many as can be told apart in the width of a page. */
const buckets = 600

export function Drawing({ view, entity, onChange }: Props) {
  const ready = view.tags.length > 0 && view.fields.length > 0
  const rows = useRows({ view, buckets, time: timeOf(view, entity) }, ready)
  if (!ready) {
    return (
      <Panel title="Nothing chosen yet">
        <Empty title={view.tags.length === 0 ? 'Choose a tag' : 'Choose a field'}>
          <p>
            Type how the tag begins and choose one, or several: each is a line. Drag over the chart to look closer, and
            go Back. The address holds all of it, and can be shared.
          </p>
        </Empty>
      </Panel>
    )
  }
  const { shown, busy, error } = rows
  return (
    <Panel
      title={
        <>
          {titleOf(shown)}{' '}
          <span class="soft small" role="status">
            {busy ? `asking… ${rows.rows > 0 ? plural(rows.rows, 'row') : ''}` : summary(shown)}
          </span>
        </>
      }
      tools={
        <>
          {busy && (
            <button type="button" class="button slim" onClick={rows.stop}>
              Stop
            </button>
          )}
          {shown !== null && !busy && <SaveAndCopy shown={shown} buckets={buckets} />}
        </>
      }
    >
      <ProblemNote error={error} />
      {shown === null && error === null && !busy && (
        <Empty title="Stopped">
          <button type="button" class="button slim" onClick={rows.again}>
            Ask again
          </button>
        </Empty>
      )}
      {shown !== null && (
        <div class={busy ? 'stale' : undefined} aria-busy={busy}>
          {shown.faults.map(({ tag, error: fault }) => (
            <ProblemNote key={tag} of={tag} error={fault} />
          ))}
          <Result shown={shown} right={view.right} entity={entity} onChange={onChange} />
        </div>
      )}
    </Panel>
  )
}

const timeOf = ({ how }: View, entity: EntityDescription): string => (how === 'snap' ? 'snap' : entity.time_field)

function summary(shown: Shown | null): string {
  return shown === null ? '' : `${plural(shown.table.rows.length, 'row')}, ${Math.round(shown.ms)} ms`
}

function titleOf(shown: Shown | null): string {
  if (shown === null) return 'Items'
  const { view, span } = shown
  if (view.how === 'latest') return 'Newest items'
  const { granularity } = requestOf(view, span, buckets)
  if (granularity === undefined) return 'Items'
  return `${view.how === 'average' ? 'Averages' : 'State'}, every ${stepText(granularity)}`
}

interface ResultProps extends Omit<Props, 'view'> {
  readonly shown: Shown
  readonly right: View['right']
}

function Result({ shown, right, entity, onChange }: ResultProps) {
  const { view, table, span } = shown
  const [cursor, setCursor] = useState<number | null>(null)
  const tags = tagsShown(view, entity)
  const lines = useMemo(
    () => linesOf(table, { time: timeOf(view, entity), tags, fields: view.fields }),
    [table, tags.join(), view],
  )
  if (table.rows.length === 0) {
    return (
      <Empty title="No items in this range">
        <p>
          The entity has items from {entity.first_date ?? 'never'} to {entity.last_date ?? 'never'}. “All” shows that
          range.
        </p>
      </Empty>
    )
  }
  const drawn = lines.names.map((name) => ({
    name,
    axis: right.includes(name) ? ('right' as const) : ('left' as const),
    stepped: view.how === 'snap',
  }))
  const toggle = (name: string): void =>
    onChange({
      right: right.includes(name) ? right.filter((other) => other !== name) : [...right, name],
    })
  return (
    <>
      {view.how !== 'latest' && (
        <div class="inside">
          <Chart
            title={`${lines.names.join(', ')} over time`}
            lines={drawn}
            data={lines.data}
            height={340}
            from={span.fromMs / 1000}
            to={span.toMs / 1000}
            onZoom={(fromMs, toMs) =>
              onChange({
                range: '',
                from: new Date(fromMs).toISOString(),
                to: new Date(toMs).toISOString(),
                live: false,
              })
            }
            onCursor={setCursor}
          />
          <LineLegend lines={lines} right={right} cursor={cursor} onRight={toggle} />
        </div>
      )}
      <BigTable name="Items" table={table} height={340} />
    </>
  )
}

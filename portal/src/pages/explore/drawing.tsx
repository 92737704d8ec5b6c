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
  const time = view.how === 'snap' ? 'snap' : entity.time_field
  const rows = useRows({ view, buckets, time }, ready)
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
    <>
      <ProblemNote error={error} />
      <Panel
        title={
          <>
            {view.how === 'latest' ? 'Newest items' : (requestText(view, shown) ?? 'Items')}{' '}
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
            {shown !== null && <SaveAndCopy view={view} span={shown.span} buckets={buckets} />}
          </>
        }
      >
        {shown !== null && <Result view={view} entity={entity} time={time} shown={shown} onChange={onChange} />}
      </Panel>
    </>
  )
}

function summary(shown: Shown | null): string {
  return shown === null ? '' : `${plural(shown.table.rows.length, 'row')}, ${Math.round(shown.ms)} ms`
}

function requestText(view: View, shown: Shown | null): string | null {
  if (shown === null) return null
  const { granularity } = requestOf(view, shown.span, buckets)
  if (granularity === undefined) return null
  return `${view.how === 'average' ? 'Averages' : 'State'}, every ${stepText(granularity)}`
}

interface ResultProps extends Props {
  readonly time: string
  readonly shown: Shown
}

function Result({ view, entity, time, shown, onChange }: ResultProps) {
  const { table, span } = shown
  const [cursor, setCursor] = useState<number | null>(null)
  const tags = tagsShown(view, entity)
  const bucketed = view.how === 'average'
  const lines = useMemo(
    () => linesOf(table, { time, tags, fields: view.fields }, bucketed ? null : undefined),
    [table, time, tags.join(), view.fields.join(), bucketed],
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
    axis: view.right.includes(name) ? ('right' as const) : ('left' as const),
    stepped: view.how === 'snap',
  }))
  const toggle = (name: string): void =>
    onChange({
      right: view.right.includes(name) ? view.right.filter((other) => other !== name) : [...view.right, name],
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
          <LineLegend lines={lines} right={view.right} cursor={cursor} onRight={toggle} />
        </div>
      )}
      <BigTable name="Items" table={table} height={340} />
    </>
  )
}

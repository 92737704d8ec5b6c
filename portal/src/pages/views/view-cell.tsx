import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { isNumericField } from '../../../../src/model/field.ts'
import { Empty, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Charts, ShownAnswer } from '../explore/drawing.tsx'
import { timeOf } from '../explore/question.ts'
import { useEarlier } from '../explore/use-earlier.ts'
import { usePixels } from '../explore/use-pixels.ts'
import { useRows } from '../explore/use-rows.ts'
import { drawable, type View, viewLink } from '../explore/view.ts'
import { type Cell, cellView, filled, type Values } from './definition.ts'
import { ReadingCell } from './reading-cells.tsx'

interface Props {
  readonly cell: Cell
  readonly frame: View
  readonly values: Values
  readonly entities: readonly EntityDescription[]
  /** The editor's tools. */
  readonly tools: ComponentChildren
  onChange(part: Partial<View>): void
}

const tagsNamed = 3

/** One part of a view. */
export function ViewCell({ cell, frame, values, entities, tools, onChange }: Props) {
  const title = filled(cell.title ?? '', values)
  if (cell.kind === 'text') {
    return (
      <Panel title={title === '' ? 'Text' : <span dir="auto">{title}</span>} tools={tools}>
        <p class="inside view-text" dir="auto">
          {filled(cell.text ?? '', values)}
        </p>
      </Panel>
    )
  }
  const asked = cellView(cell, frame, values)
  const entity = entities.find((one) => one.entity === asked.entity)
  const fields = entity === undefined || asked.fields.length > 0 ? asked.fields : usualFields(asked, entity)
  const view = { ...asked, fields }
  const named = view.tags.slice(0, tagsNamed).join(', ')
  return (
    <Panel
      title={<span dir="auto">{title === '' ? `${named}${view.tags.length > tagsNamed ? '…' : ''}` : title}</span>}
      tools={
        <>
          {cell.kind === 'chart' && <a href={viewLink(view)}>Explore</a>}
          {tools}
        </>
      }
    >
      {entity === undefined ? (
        <Empty title={`The entity ${asked.entity} does not exist, or this key may not read it`}>
          <p>This part shows its data.</p>
        </Empty>
      ) : cell.kind === 'chart' || cell.kind === 'state' ? (
        <ChartCell view={view} entity={entity} onChange={onChange} />
      ) : (
        <ReadingCell view={view} entity={entity} kind={cell.kind} />
      )}
    </Panel>
  )
}

function usualFields(view: View, entity: EntityDescription): readonly string[] {
  const fields = drawable(view.how, entity)
  const first = fields.find(isNumericField) ?? fields[0]
  return first === undefined ? [] : [first.name]
}

interface ChartProps {
  readonly view: View
  readonly entity: EntityDescription
  onChange(part: Partial<View>): void
}

const refreshMs = 30_000
const chartPixels = 230

function ChartCell(props: ChartProps) {
  const { room, pixels } = usePixels()
  return <div ref={room}>{pixels !== null && <Drawn {...props} pixels={pixels} />}</div>
}

function Drawn({ view, entity, pixels, onChange }: ChartProps & { readonly pixels: number }) {
  const query = { view, entity, pixels, time: timeOf(view.how, entity) }
  const { shown, stale, busy, error, again } = useRows(query, true)
  const earlier = useEarlier(shown, query)
  const isLive = view.range !== ''
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(again, refreshMs)
    return () => clearInterval(timer)
  }, [isLive])
  return (
    <>
      <ProblemNote error={error ?? earlier.error} />
      {shown === null && busy && <Waiting />}
      {shown !== null && (
        <ShownAnswer shown={shown} stale={stale}>
          <Charts
            shown={shown}
            earlier={earlier.shown}
            axes={view}
            zone={view.zone}
            entity={entity}
            height={chartPixels}
            isInSavedView
            onChange={onChange}
          />
        </ShownAnswer>
      )}
    </>
  )
}

import type { EntityDescription } from '../../../../src/client/answers.ts'
import { Empty, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { browserZone } from '../../parts/zoned-time.ts'
import { useAsk } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo, replaceWith, usePlace } from '../../shell/route.ts'
import { Choices } from './choices.tsx'
import { Drawing } from './drawing.tsx'
import { RangeBar } from './range-bar.tsx'
import { drawable, type View, viewLink, viewOf } from './view.ts'

const dayMs = 86_400_000

/** Where the address leaves it open: the entity with most rows, its numbers, and a day that has something in it. */
function completed(view: View, entities: readonly EntityDescription[], nowMs: number): View {
  const most = entities.toSorted((a, b) => b.rows - a.rows)[0]
  const entity = entities.find((one) => one.entity === view.entity) ?? (view.entity === '' ? most : undefined)
  if (entity === undefined) return view
  const metrics = drawable(view.how, entity)
  const drawn = metrics.find(({ type }) => type === 'double' || type === 'long') ?? metrics[0]
  const fields = view.fields.length > 0 ? view.fields : drawn === undefined ? [] : [drawn.name]
  const zone = view.zone === '' ? (entity.time_zone ?? browserZone()) : view.zone
  return { ...view, entity: entity.entity, fields, zone, ...rangeFor(view, entity, nowMs) }
}

function rangeFor({ range, from, to }: View, entity: EntityDescription, nowMs: number): Partial<View> {
  if (range !== '' || (from !== '' && to !== '')) return {}
  const last = entity.last_date === null ? nowMs : Date.parse(entity.last_date)
  if (last > nowMs - dayMs) return { range: 'P1D' }
  return { from: new Date(last - dayMs).toISOString(), to: new Date(last).toISOString() }
}

export function Explore() {
  const { query } = usePlace()
  const entities = useAsk((client) => client.entities(), ['entities'])
  if (entities.value === null) {
    return (
      <>
        <PageHead title="Explore" />
        <ProblemNote error={entities.error} />
        {entities.error === null && <Waiting />}
      </>
    )
  }
  if (entities.value.length === 0) return <NothingYet />
  const view = completed(viewOf(query), entities.value, Date.now())
  const entity = entities.value.find((one) => one.entity === view.entity)
  /** A step that one can go back from. */
  const change = (part: Partial<View>): void => goTo(viewLink({ ...view, ...part }))
  const adjust = (part: Partial<View>): void => replaceWith(viewLink({ ...view, ...part }))
  return (
    <>
      <PageHead title="Explore" />
      <div class="explore">
        <Choices view={view} entity={entity} entities={entities.value} onChange={adjust} />
        <div class="explore-main">
          <RangeBar view={view} entity={entity} onChange={change} onAdjust={adjust} />
          {entity === undefined ? (
            <Empty title={`There is no entity ${view.entity}, or not for this key`}>
              <p>Choose another one at the side.</p>
            </Empty>
          ) : (
            <Drawing key={entity.entity} view={view} entity={entity} onChange={change} />
          )}
        </div>
      </div>
    </>
  )
}

function NothingYet() {
  return (
    <>
      <PageHead title="Explore" />
      <Panel title="Nothing to draw yet">
        <Empty title="No entity yet">
          <p>
            An entity is a data set of tags and their values over time. A series ingest that rows are pushed to feeds
            one.
          </p>
          <a class="button first" href={linkTo(['ingests'])}>
            See the ingests
          </a>
        </Empty>
      </Panel>
    </>
  )
}

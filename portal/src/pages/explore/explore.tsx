import { useEffect } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { compareCodePoints } from '../../../../src/lib/compare-code-points.ts'
import { isNumericField } from '../../../../src/model/field.ts'
import { Empty, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { pins } from '../../parts/pins.ts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { browserZone } from '../../parts/zoned-time.ts'
import { useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { goTo, replaceWith, usePlace } from '../../shell/route.ts'
import { Choices } from './choices.tsx'
import { Drawing } from './drawing.tsx'
import { RangeBar } from './range-bar.tsx'
import { drawable, isBare, keepView, keptView, openingRange, tagsShown, type View, viewLink, viewOf } from './view.ts'

/** Fills in what the address omits: the entity with the most rows (the service's own last), its numbers or else its states, and a day with data. */
function completed(view: View, entities: readonly EntityDescription[], nowMs: number): View {
  const isOwn = ({ of_service }: EntityDescription): number => (of_service === true ? 1 : 0)
  const most = entities.toSorted((a, b) => isOwn(a) - isOwn(b) || b.rows - a.rows)[0]
  const entity = entities.find((one) => one.entity === view.entity) ?? (view.entity === '' ? most : undefined)
  const zone = view.zone === '' ? (entity?.time_zone ?? browserZone()) : view.zone
  if (entity === undefined) return { ...view, zone }
  const how = view.how === 'auto' && drawable('auto', entity).length === 0 ? 'states' : view.how
  const metrics = drawable(how, entity)
  const drawn = metrics.find(isNumericField) ?? metrics[0]
  const fields = view.fields.length > 0 ? view.fields : drawn === undefined ? [] : [drawn.name]
  return { ...view, entity: entity.entity, how, fields, zone, ...openingRange(view, entity, nowMs) }
}

/** The pinned tags of the entity whose tag was pinned first. */
function pinnedView(asked: View): View | null {
  const [first, ...others] = pins.get()
  if (first === undefined) return null
  const { entity } = first
  return { ...asked, entity, tags: [first, ...others].filter((pin) => pin.entity === entity).map(({ tag }) => tag) }
}

/** The most tags to check for new items. */
const openedTagsMax = 1000
const freshestMax = 3

/** The tags with the newest items. Tags with items in the future come last. */
async function freshestTags(client: TidemarkClient, { entity, fields, by }: View, tag: string): Promise<string[]> {
  const named = by === '' ? {} : { id_name_field: by }
  const { Items } = await client.tags(entity, { limit: openedTagsMax, ...named })
  const rows = await client.query('latest', { entity, ids: Items, metric_name_field: fields, ...named })
  const now = new Date().toISOString()
  const time = (row: (typeof rows)[number]): string => String(Object.values(row)[0])
  const isAhead = (row: (typeof rows)[number]): number => (time(row) > now ? 1 : 0)
  const freshest = rows.toSorted((a, b) => isAhead(a) - isAhead(b) || compareCodePoints(time(b), time(a)))
  return [...new Set(freshest.map((row) => String(row[tag] ?? '')))].slice(0, freshestMax)
}

export function Explore() {
  const entities = useQuery((client) => client.entities(), ['entities'])
  if (entities.value === null) {
    return (
      <>
        <PageHead title="Explore" />
        <ProblemNote error={entities.error} />
        {entities.error === null && <Waiting />}
      </>
    )
  }
  return entities.value.length === 0 ? <NothingYet /> : <Opened entities={entities.value} />
}

/** Shows the view in the address. A bare address opens the last view, else the pinned tags, else the tags with the newest items. */
function Opened({ entities }: { readonly entities: readonly EntityDescription[] }) {
  const { query } = usePlace()
  const asked = viewOf(query)
  const isOpening = isBare(asked)
  const last = isOpening && asked.entity === '' ? (keptView() ?? pinnedView(asked)) : null
  const isThere = entities.some(({ entity }) => entity === last?.entity)
  const begun = completed(last !== null && isThere ? last : asked, entities, Date.now())
  const entity = entities.find((one) => one.entity === begun.entity)
  const tag = tagsShown(begun, entity ?? { fields: [] })[0]
  const freshest = useQuery((client) => freshestTags(client, begun, tag!), [begun.entity, begun.by], {
    skip: !isOpening || begun.tags.length > 0 || tag === undefined,
  })
  const view = begun.tags.length > 0 || !isOpening ? begun : { ...begun, tags: freshest.value ?? [] }
  const link = viewLink(view)
  const isDrawn = view.tags.length > 0
  useEffect(() => {
    // Puts the view into the address, so that it is in the history and can be shared.
    if (isOpening && isDrawn) replaceWith(link)
    if (isDrawn) keepView(view)
  }, [link])
  /** Adds a step to the history. */
  const change = (part: Partial<View>): void => goTo(viewLink({ ...view, ...part }))
  const adjust = (part: Partial<View>): void => replaceWith(viewLink({ ...view, ...part }))
  return (
    <>
      <PageHead title="Explore" />
      <div class="explore">
        <Choices view={view} entity={entity} entities={entities} onChange={adjust} />
        <div class="explore-main">
          <RangeBar view={view} entity={entity} onChange={change} onAdjust={adjust} />
          {entity === undefined ? (
            <Empty title={`The entity ${view.entity} does not exist, or this key may not read it`}>
              <p>Choose another one at the side.</p>
            </Empty>
          ) : isOpening && freshest.busy ? (
            <Waiting />
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

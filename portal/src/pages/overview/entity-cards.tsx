import { countText, plural } from '../../parts/formats.ts'
import { shownZone } from '../../parts/shown-zone.ts'
import { SparkBars } from '../../parts/spark.tsx'
import { clockText } from '../../parts/zoned-time.ts'
import { linkTo } from '../../shell/link.ts'
import { useStore } from '../../shell/store.ts'
import type { EntityState, PlantState } from './plant-state.ts'
import { When } from './when.tsx'

export function EntityCards({ plant }: { readonly plant: PlantState }) {
  return (
    <section aria-label="Entities" class="stack">
      <div class="cards">
        {plant.entities.map((state) => (
          <EntityCard key={state.entity.entity} state={state} nowMs={plant.atMs} />
        ))}
      </div>
      {plant.others.length > 0 && (
        <p class="soft small more-entities">
          And {plural(plant.others.length, 'entity', 'entities')} with fewer rows:{' '}
          {plant.others.map(({ entity }, place) => (
            <>
              {place > 0 && ', '}
              <a key={entity} href={linkTo(['explore'], { entity })}>
                {entity}
              </a>
            </>
          ))}
        </p>
      )}
    </section>
  )
}

function EntityCard({ state, nowMs }: { readonly state: EntityState; readonly nowMs: number }) {
  const { entity, tags, tagsTotal, tagsMore, rowsByHour, newestMs, aheadMs } = state
  const zone = useStore(shownZone)
  const silent = tags.filter((tag) => tag.silent).length
  const rows = rowsByHour.reduce((all, count) => all + count, 0)
  return (
    <article class="panel card">
      <h2>
        <a href={linkTo(['explore'], { entity: entity.entity })} dir="auto">
          {entity.entity}
        </a>
      </h2>
      <p>
        {tagsMore && 'more than '}
        {plural(tagsTotal, 'tag')}
        {tags.length > 0 && `, ${countText(tags.length - silent)} fresh`}
        {silent > 0 && <span class="warn-text">, {countText(silent)} silent</span>}
      </p>
      <p class="soft">
        {newestMs === null ? (
          aheadMs === null ? (
            'No reading yet'
          ) : (
            'No reading in the last day'
          )
        ) : (
          <When ms={newestMs} nowMs={nowMs} />
        )}
      </p>
      <SparkBars title={`Rows of ${entity.entity} in each hour of the last day`} values={rowsByHour} />
      <p class="soft small">
        {plural(rows, 'row')} in the last day, {countText(entity.rows)} in all
      </p>
      {aheadMs !== null && (
        <p class="warn-text small">Some times are in the future, up to {clockText(aheadMs, zone)}.</p>
      )}
    </article>
  )
}

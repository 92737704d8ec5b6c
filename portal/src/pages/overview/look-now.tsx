import { useEffect, useRef } from 'preact/hooks'
import { msPerDay } from '../../../../src/model/instant.ts'
import { valueText } from '../../parts/formats.ts'
import { PinButton } from '../../parts/pin-button.tsx'
import { pins } from '../../parts/pins.ts'
import { SparkLine } from '../../parts/spark.tsx'
import { useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { useStore } from '../../shell/store.ts'
import { bucketMs, type Look, looks } from './look.ts'
import type { PlantState } from './plant-state.ts'
import { When } from './when.tsx'

/** A few tags with their values over the last day. */
export function LookNow({ plant }: { readonly plant: PlantState }) {
  const pinned = useStore(pins)
  const { value, again } = useQuery((client) => looks(client, plant, pinned), ['looks'])
  const of = useRef<readonly unknown[]>([plant, pinned])
  useEffect(() => {
    // The current content stays until the next response.
    if (of.current[0] !== plant || of.current[1] !== pinned) again()
    of.current = [plant, pinned]
  }, [plant, pinned])
  if (value === null || value.length === 0) return null
  return (
    <section aria-label="Look at now" class="stack">
      <h2>Look at now</h2>
      <div class="cards small-cards">
        {value.map((look) => (
          <LookCard key={`${look.entity} ${look.tag}`} look={look} nowMs={plant.atMs} />
        ))}
      </div>
    </section>
  )
}

/** Points further apart than this have missing buckets between them. */
const gapMs = 3.5 * bucketMs

function LookCard({ look, nowMs }: { readonly look: Look; readonly nowMs: number }) {
  const { entity, tag, metric, text, unit, value, newestMs, least, greatest, points } = look
  const link = linkTo(['explore'], { entity, tag: [tag], field: [metric], range: 'P1D' })
  return (
    <article class="panel card">
      <h3>
        <a href={link} dir="auto" title={tag}>
          {text === '' ? tag : text}
        </a>
        <PinButton entity={entity} tag={tag} />
      </h3>
      {text !== '' && <p class="soft small mono look-tag">{tag}</p>}
      <p class="look-value number" title={value === null ? undefined : String(value)}>
        {value === null ? '–' : valueText(value)} <span class="soft">{unit}</span>
      </p>
      <SparkLine
        title={`${tag} over the last day`}
        points={points}
        fromMs={nowMs - msPerDay}
        toMs={nowMs}
        gapMs={gapMs}
      />
      <p class="soft small number">
        {least === null || greatest === null
          ? 'nothing in the last day'
          : `${valueText(least)} … ${valueText(greatest)} in the last day`}
      </p>
      {newestMs !== null && (
        <p class="soft small">
          <When ms={newestMs} nowMs={nowMs} />
        </p>
      )}
    </article>
  )
}

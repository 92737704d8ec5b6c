// Selects the tags for the overview, with their last day.
import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { isNumericField } from '../../../../src/model/field.ts'
import { msPerDay } from '../../../../src/model/instant.ts'
import type { Pin } from '../../parts/pins.ts'
import { type TagText, tagTexts } from '../explore/tag-texts.ts'
import { firstTag, type PlantState } from './plant-state.ts'

export const shownMax = 8
const shownMin = 6

/** The metric that is drawn for an entity: its first numeric one. */
const metricOf = ({ fields }: EntityDescription): string | undefined =>
  fields.find((field) => field.role === 'metric' && isNumericField(field))?.name

type Texts = ReadonlyMap<string, TagText>

/** The pinned tags, then those with the newest items: one per unit, and others only to fill up. */
export function tagsToLookAt(pinned: readonly Pin[], { entities }: Pick<PlantState, 'entities'>, texts: Texts): Pin[] {
  const drawn = entities.filter(({ entity }) => metricOf(entity) !== undefined)
  const isThere = ({ entity }: Pin): boolean => drawn.some((one) => one.entity.entity === entity)
  const own = pinned.filter(isThere).slice(0, shownMax)
  const fresh = drawn
    .flatMap(({ entity: { entity }, tags }) => tags.map(({ tag, newestMs }) => ({ entity, tag, newestMs })))
    .sort((a, b) => b.newestMs - a.newestMs)
    .filter(({ entity, tag }) => !own.some((pin) => pin.entity === entity && pin.tag === tag))
  const unitOf = ({ tag }: Pin): string => texts.get(tag)?.unit ?? ''
  const units = new Set(own.map(unitOf))
  const [first, others]: [Pin[], Pin[]] = [[], []]
  for (const { entity, tag } of fresh) {
    const isNew = !units.has(unitOf({ entity, tag })) && first.length + own.length < shownMax
    units.add(unitOf({ entity, tag }))
    ;(isNew ? first : others).push({ entity, tag })
  }
  const chosen = [...own, ...first]
  return [...chosen, ...others.slice(0, Math.max(0, shownMin - chosen.length))]
}

export interface Look extends Pin {
  readonly text: string
  readonly unit: string
  readonly metric: string
  /** Null if there is no number in the last day. */
  readonly value: number | null
  readonly newestMs: number | null
  readonly least: number | null
  readonly greatest: number | null
  readonly points: readonly (readonly [ms: number, value: number])[]
}

export const bucketMs = 900_000

/** Makes two requests per entity. With several tag fields, only the first distinguishes tags. */
export async function looks(client: TidemarkClient, plant: PlantState, pinned: readonly Pin[]): Promise<Look[]> {
  const texts = await tagTexts(client).catch((): Texts => new Map())
  const chosen = tagsToLookAt(pinned, plant, texts)
  const asked = plant.entities.map(async ({ entity }) => {
    const ids = chosen.filter((pin) => pin.entity === entity.entity).map(({ tag }) => tag)
    return ids.length === 0 ? [] : looksOf(client, entity, { ids, texts, nowMs: plant.atMs })
  })
  const found = (await Promise.all(asked)).flat()
  return chosen.flatMap(({ entity, tag }) => found.filter((one) => one.entity === entity && one.tag === tag))
}

interface Asked {
  readonly ids: readonly string[]
  readonly texts: Texts
  readonly nowMs: number
}

async function looksOf(
  client: TidemarkClient,
  entity: EntityDescription,
  { ids, texts, nowMs }: Asked,
): Promise<Look[]> {
  const metric = metricOf(entity)!
  const tagField = firstTag(entity)
  const end_date = new Date(nowMs).toISOString()
  const one = { entity: entity.entity, ids, id_name_field: tagField, metric_name_field: [metric] }
  const [buckets, newest] = await Promise.all([
    client.query('aggregate', {
      ...{ ...one, granularity: 'fifteen_minute', aggregates: ['mean', 'min', 'max'] },
      ...{ start_date: new Date(nowMs - msPerDay).toISOString(), end_date },
    }),
    client.query('last', { ...one, date: end_date }),
  ])
  return ids.map((tag): Look => {
    const own = buckets.filter((row) => row[tagField] === tag && row[`${metric}.mean`] !== null)
    const last = newest.find((row) => row[tagField] === tag)
    const numbers = (name: string): number[] => own.map((row) => Number(row[`${metric}.${name}`]))
    return {
      ...{ entity: entity.entity, tag, metric },
      text: texts.get(tag)?.description ?? '',
      unit: texts.get(tag)?.unit ?? '',
      value: typeof last?.[metric] === 'number' ? last[metric] : null,
      newestMs: last === undefined ? null : Date.parse(String(last[entity.time_field])),
      least: own.length === 0 ? null : Math.min(...numbers('min')),
      greatest: own.length === 0 ? null : Math.max(...numbers('max')),
      points: own.map((row) => [Date.parse(String(row[entity.time_field])), Number(row[`${metric}.mean`])] as const),
    }
  })
}

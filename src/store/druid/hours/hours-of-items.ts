import { type Entity, type EntityField, fieldsOfRole } from '../../../model/entity.ts'
import { isNumericField } from '../../../model/field.ts'
import { codingOf, qualityOf } from '../../../model/quality.ts'
import { HourMaker } from '../../hours/hour-maker.ts'
import { hourMetric } from '../../hours/hour-row.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import { valueRead } from '../druid-value.ts'
import type { HourOfSeries, HoursOf } from './hour-lines.ts'

/** An item: its time, tags, quality if there is one, the metrics that hours are kept of, and its position. */
export type Item = readonly unknown[]

export interface ItemFields extends HoursOf {
  readonly tags: readonly EntityField[]
  readonly quality: EntityField | null
}

export function itemFields(entity: Pick<Entity, 'fields'>): ItemFields {
  const metrics = fieldsOfRole(entity, 'metric').filter(isNumericField)
  return {
    tags: fieldsOfRole(entity, 'tag'),
    quality: fieldsOfRole(entity, 'quality')[0] ?? null,
    metrics: metrics.map(hourMetric),
  }
}

/** The hours of all series, from items in order of time and position. They are sorted by hour, then tags, so that every process makes the same hours. */
export async function* hoursOfItems(
  parts: AsyncIterable<readonly Item[]>,
  fields: ItemFields,
): AsyncGenerator<HourOfSeries> {
  let makers = new Map<string, HourMaker>()
  let endMs = Number.NEGATIVE_INFINITY
  for await (const items of parts) {
    for (const item of items) {
      const ms = Number(item[0])
      if (ms >= endMs) {
        yield* finished(makers)
        makers = new Map()
        endMs = (Math.floor(ms / hourMs) + 1) * hourMs
      }
      add(item, ms, fields, makers)
    }
  }
  yield* finished(makers)
}

function add(item: Item, ms: number, fields: ItemFields, makers: Map<string, HourMaker>): void {
  const { tags, metrics, quality } = fields
  const key = JSON.stringify(item.slice(1, 1 + tags.length))
  const maker = makers.get(key) ?? new HourMaker(metrics)
  makers.set(key, maker)
  maker.enter(ms)
  const metricsFrom = 1 + tags.length + (quality === null ? 0 : 1)
  const isGood =
    quality === null || qualityOf(valueRead(item[metricsFrom - 1], quality.type), codingOf(quality)) === 'good'
  for (const [place, { type }] of metrics.entries()) {
    const read = valueRead(item[metricsFrom + place], type)
    if (read !== null) maker.metric(place).add(ms, Number(read), typeof read === 'bigint' ? read : null, isGood)
  }
  maker.count(Number(item.at(-1)))
}

function* finished(makers: ReadonlyMap<string, HourMaker>): Generator<HourOfSeries> {
  for (const [key, maker] of [...makers].sort(byKey)) {
    const hour = maker.finish()
    if (hour !== null) yield { tags: JSON.parse(key) as HourOfSeries['tags'], hour }
  }
}

const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : 1

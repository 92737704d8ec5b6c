// How each metric is drawn: as lines or steps, with which gaps, and with which values of a bucket.
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { addDuration, parseDuration } from '../../../../src/model/duration.ts'
import { defaultShape, type Shape } from '../../../../src/model/entity.ts'
import { gapsOver, usualGaps } from '../../parts/line-data.ts'
import type { Span } from '../../parts/span.ts'
import { bucketMs } from './buckets.ts'
import type { DrawnField } from './lines.ts'
import type { View } from './view.ts'

type Reading = Pick<EntityDescription, 'fields' | 'shapes' | 'max_gaps'>

export function shapeOf(metric: string, { fields, shapes }: Reading): Shape {
  return shapes?.[metric] ?? defaultShape(fields.find(({ name }) => name === metric)?.type)
}

/** A month counts as 31 days. */
function maxGapSeconds(metric: string, { max_gaps }: Reading): number {
  const duration = parseDuration(max_gaps?.[metric] ?? '')
  return duration === null ? Number.POSITIVE_INFINITY : addDuration(0, duration, 1) / 1000
}

/** For items: a distance of three times the usual one is a gap if it is wide enough to see; so is one beyond the metric's own limit. */
const itemFactor = 3
const gapPixels = 2
/** For buckets: a missing one is a gap. */
const missingBucket = 1.5

export interface Drawn {
  readonly view: View
  readonly span: Span
  readonly pixels: number
  readonly granularity: string | undefined
}

export function drawnFields(entity: Reading, { view, span, pixels, granularity }: Drawn): DrawnField[] {
  const { how, fields } = view
  const bucketSeconds = (bucketMs(granularity ?? '') ?? span.toMs - span.fromMs) / 1000
  const seenSeconds = how === 'auto' ? (gapPixels * (span.toMs - span.fromMs)) / 1000 / pixels : 0
  return fields.map((name): DrawnField => {
    const line = { name, value: name, drawn: 'line', gapsOf: usualGaps } as const
    switch (how) {
      case 'average':
        return line
      case 'time_mean':
        return { ...line, gapsOf: (seconds) => gapsOver(seconds, missingBucket * bucketSeconds) }
      case 'band':
        return { ...line, value: `${name}.mean`, band: { low: `${name}.min`, high: `${name}.max` } }
      case 'rise':
        return { ...line, value: `${name}.rise`, drawn: 'painted', gapsOf: () => [] }
      case 'snap':
        return { ...line, drawn: 'step' }
      default:
        return drawnItems(name, entity, seenSeconds)
    }
  })
}

function drawnItems(name: string, entity: Reading, seenSeconds: number): DrawnField {
  const longest = maxGapSeconds(name, entity)
  if (shapeOf(name, entity) === 'step') {
    return { name, value: name, drawn: 'step', gapsOf: () => [], holdsSeconds: longest }
  }
  const gapsOf = (seconds: readonly number[]) =>
    Number.isFinite(longest) ? gapsOver(seconds, longest) : usualGaps(seconds, itemFactor, seenSeconds)
  return { name, value: name, drawn: 'line', gapsOf }
}

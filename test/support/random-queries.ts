// Random requests with the meaning of each, for the property test of the path from request to bytes.
import type { EntityField } from '../../src/model/entity.ts'
import { isNumericField } from '../../src/model/field.ts'
import { bucketStart, granularityNames, nextBucketStart, parseGranularity } from '../../src/model/granularity.ts'
import { formatInstant } from '../../src/model/instant.ts'
import type { Plan, QualityFilter, Range, Selection } from '../../src/model/plan.ts'
import { qualityWords } from '../../src/model/quality.ts'
import type { QueryKind } from '../../src/model/query-kind.ts'
import { type Draw, oneOf, type RandomEntity } from './random-rows.ts'

export interface Question {
  readonly kind: QueryKind
  readonly request: Readonly<Record<string, unknown>>
  /** The meaning of the request, drawn alongside it and not derived from it. */
  readonly plan: Plan
}

/** The period of the test data: dates are drawn from the origin onwards. */
export interface Times {
  readonly originMs: number
  /** The service's clock during the query. */
  readonly nowMs: number
}

export const entityName = 'plant'
/** The duration of a history. */
export const spanMs = 4 * 86_400_000

const texts = ['', 'a', 'ab', 'a%', 'b_', 'é', '\uffff', '\u{1f600}', 'none']
const granularities = [
  'all',
  'NONE',
  'second',
  'Minute',
  'five_minute',
  'hour',
  'PT7H',
  'day',
  'P1W',
  'month',
  'P1M1D',
  'year',
]

function someOf<T>(draw: Draw, values: readonly T[]): T[] {
  return values.filter(() => draw(2) === 0)
}

/** An instant in one of the accepted forms. */
export function dateText(draw: Draw, ms: number): string {
  const text = formatInstant(ms)
  switch (draw(4)) {
    case 0:
      return text.slice(0, -1)
    case 1:
      return `${formatInstant(ms + 7_200_000).slice(0, -1)}+02:00`
    case 2:
      return text.replaceAll(/[-:]/g, '').replace('.', ',')
    default:
      return text
  }
}

export function randomQuestion(draw: Draw, entity: RandomEntity, times: Times): Question {
  const kinds = [
    'average',
    'average-dimensions',
    'average-granularity',
    'select',
    'latest',
    'last',
    'next',
    'snap',
  ] as const
  const kind = oneOf(draw, kinds)
  const averaged = kind.startsWith('average')
  const hasFields = !['average', 'latest', 'snap'].includes(kind)
  const { selection, asked } = randomSelection(draw, entity, {
    averaged,
    hasFields,
    keepsTag: kind === 'average-granularity',
  })
  const base = { entity: entityName, ...asked }
  switch (kind) {
    case 'select': {
      const { range, dates } = randomRange(draw, times)
      return { kind, request: { ...base, ...dates }, plan: { kind, selection, range } }
    }
    case 'latest': {
      const { ms, text } = randomDate(draw, times)
      if (draw(3) === 0) return { kind, request: base, plan: { kind, selection, fromMs: Number.NEGATIVE_INFINITY } }
      return { kind, request: { ...base, date: text }, plan: { kind, selection, fromMs: ms } }
    }
    case 'last':
    case 'next': {
      const { ms, text } = randomDate(draw, times)
      const offset = draw(4) === 0 ? draw(12) : draw(2)
      const plan = { kind, selection, dateMs: ms, offset }
      return { kind, request: { ...base, date: text, ...(offset === 0 ? {} : { offset }) }, plan }
    }
    case 'snap':
      return randomSnap(draw, selection, base, times)
    default: {
      const { range, dates } = randomRange(draw, times)
      const text = oneOf(draw, granularities)
      const granularity = parseGranularity(text) ?? granularityNames.all
      const byTag = kind !== 'average-granularity'
      const plan: Plan = { kind: 'average', selection, range, granularity, byTag }
      return { kind, request: { ...base, ...dates, granularity: text }, plan }
    }
  }
}

function randomSnap(draw: Draw, selection: Selection, base: object, times: Times): Question {
  const { range, dates } = randomRange(draw, times)
  const endMs = range.toMs === Number.POSITIVE_INFINITY ? times.nowMs : range.toMs
  const text = oneOf(draw, ['all', 'hour', 'day', 'P1M', 'PT7H', 'week'])
  const granularity = parseGranularity(text) ?? granularityNames.all
  if (granularity.kind === 'all' || range.fromMs === Number.NEGATIVE_INFINITY) {
    const plan: Plan = { kind: 'snap', selection, ticksMs: Float64Array.of(endMs) }
    return { kind: 'snap', request: { ...base, ...dates }, plan }
  }
  const ticks: number[] = []
  const first = bucketStart(granularity, range.fromMs)
  for (let tick = first; tick <= endMs; tick = nextBucketStart(granularity, tick))
    if (tick >= range.fromMs) ticks.push(tick)
  const plan: Plan = { kind: 'snap', selection, ticksMs: Float64Array.from(ticks) }
  return { kind: 'snap', request: { ...base, ...dates, granularity: text }, plan }
}

function randomSelection(
  draw: Draw,
  { time, tags, others }: RandomEntity,
  { averaged, hasFields, keepsTag }: { averaged: boolean; hasFields: boolean; keepsTag: boolean },
): { selection: Selection; asked: object } {
  const named = draw(2) === 0 ? oneOf(draw, tags) : null
  const [first, ...otherTags] = named === null ? tags : [named]
  // A query kind that pools tags shows none of them, so one tag is enough.
  const shown: [EntityField, ...EntityField[]] = keepsTag ? [first] : [first, ...otherTags]
  const ids = draw(2) === 0 ? [] : [...someOf(draw, texts), oneOf(draw, texts)]
  const prefixes =
    draw(2) === 0 ? [] : [...someOf(draw, ['a', 'a%', 'b', '\u{1f600}', 'é']), oneOf(draw, ['a', '', '%'])]
  const metrics = others.filter((field) => field.role === 'metric' && (!averaged || isNumericField(field)))
  const asks = someOf(draw, metrics)
  const choice = [...others.filter((field) => field.role === 'dimension'), ...tags]
  const fields = hasFields ? someOf(draw, choice) : []
  const quality = randomQuality(draw, others)
  const isShown = !averaged && quality?.words.some((word) => word !== 'good') === true
  const selection: Selection = {
    ...(quality === null ? {} : { quality }),
    entityId: 1,
    sinceMs: null,
    time,
    tags: shown,
    ids: ids.length === 0 ? null : ids,
    // The empty prefix filters nothing: rows without the tag pass too.
    prefixes: prefixes.length === 0 || prefixes.includes('') ? null : prefixes,
    metrics: asks.length === 0 ? metrics : asks,
    fields: [
      ...(keepsTag ? fields : fields.filter((field) => !shown.includes(field))),
      ...(isShown ? [quality.field] : []),
    ],
  }
  const names = (list: readonly EntityField[]): string[] => list.map(({ name }) => name)
  const asked = {
    ...(named === null ? {} : { id_name_field: named.name }),
    ...(ids.length === 0 && draw(2) === 0 ? {} : { ids }),
    ...(prefixes.length === 0 && draw(2) === 0 ? {} : { prefixes }),
    ...(quality === null || (isGoodAlone(quality) && draw(2) === 0)
      ? {}
      : { quality: isGoodAlone(quality) && draw(2) === 0 ? [] : quality.words }),
    metric_name_field: [...names(asks), ...names(asks).slice(0, 1)],
    ...(hasFields ? { fields: [...names(fields), ...names(fields).slice(-1)] } : {}),
  }
  return { selection, asked }
}

function randomQuality(draw: Draw, others: readonly EntityField[]): QualityFilter | null {
  const field = others.find(({ role }) => role === 'quality')
  if (field === undefined) return null
  const words = someOf(draw, qualityWords)
  return { field, words: draw(2) === 0 || words.length === 0 ? ['good'] : words }
}

const isGoodAlone = ({ words }: QualityFilter): boolean => words.every((word) => word === 'good')

function randomRange(draw: Draw, times: Times): { range: Range; dates: object } {
  const [first, second] = [randomMs(draw, times), randomMs(draw, times)]
  const [fromMs, toMs] = [Math.min(first, second), Math.max(first, second)]
  const start_date = dateText(draw, fromMs)
  const end_date = dateText(draw, toMs)
  const period = `PT${(toMs - fromMs) / 1000}S`
  switch (draw(6)) {
    case 0:
      return { range: { fromMs, toMs: Number.POSITIVE_INFINITY }, dates: { start_date } }
    case 1:
      return { range: { fromMs: Number.NEGATIVE_INFINITY, toMs }, dates: { end_date, start_date: null } }
    case 2:
      return { range: { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }, dates: {} }
    case 3:
      return { range: { fromMs, toMs }, dates: { start_date, end_date: period } }
    case 4:
      return { range: { fromMs, toMs }, dates: { start_date: period, end_date } }
    default:
      return { range: { fromMs, toMs }, dates: { start_date, end_date } }
  }
}

function randomDate(draw: Draw, times: Times): { ms: number; text: string } {
  const { nowMs } = times
  const ms = randomMs(draw, times)
  return draw(3) === 0 && ms <= nowMs ? { ms, text: `PT${(nowMs - ms) / 1000}S` } : { ms, text: dateText(draw, ms) }
}

/** One of few instants, so that ranges often end at the date of a row. */
export function randomMs(draw: Draw, { originMs }: Times): number {
  return originMs + draw(24) * (spanMs / 24) + (draw(3) === 0 ? draw(1000) : 0)
}

// Request bodies of the data queries. They are part of the OpenAPI document, so each property has a description.
import Type, { type Static, type TSchema } from 'typebox'
import { deletionOperators } from '../model/deletion.ts'
import { shapes } from '../model/entity.ts'
import { granularityNames } from '../model/granularity.ts'
import { aggregateNames, fillKinds } from '../model/plan.ts'
import { type QualityWord, qualityWords } from '../model/quality.ts'
import type { QueryKind } from '../model/query-kind.ts'

/** The most names in one list. The list `ids` is limited only by the size of the body. */
const namesMax = 10_000
export const aggregatesMax = 16
const pointsMax = 100_000
export const pointsDefault = 800

/** The units of time of an integral, in milliseconds. */
export const totalUnits = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
type TotalUnit = keyof typeof totalUnits

/** Limited because every tag of the entity is compared with every prefix. */
const prefixesMax = 10_000

const closed = { additionalProperties: false }

const orNull = '`null` counts as left out.'

const optionalText = (description: string, examples: readonly string[]) =>
  Type.Optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], description: `${description} ${orNull}`, examples }),
  )

const optionalList = (description: string, examples: readonly (readonly string[])[], maxItems?: number) =>
  Type.Optional(
    Type.Unsafe<readonly string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      ...(maxItems === undefined ? {} : { maxItems }),
      description: `${description} ${orNull}`,
      examples,
    }),
  )

/** An optional property that is one of several words. */
const optionalWord = <Word extends string>(words: readonly Word[], description: string, example: Word) =>
  Type.Optional(
    Type.Unsafe<Word | null>({
      type: ['string', 'null'],
      enum: [...words, null],
      description: `${description} ${orNull}`,
      examples: [example],
    }),
  )

const optionalNumber = (
  type: 'integer' | 'number',
  bounds: { readonly minimum?: number; readonly maximum?: number; readonly exclusiveMinimum?: number },
  description: string,
  example: number,
) =>
  Type.Optional(
    Type.Unsafe<number | null>({
      type: [type, 'null'],
      ...bounds,
      description: `${description} ${orNull}`,
      examples: [example],
    }),
  )

const entity = Type.String({
  description: 'The entity to query: `GET /consumer/data/entities` lists them.',
  examples: ['plant'],
})

const quality = Type.Optional(
  Type.Unsafe<readonly QualityWord[] | null>({
    type: ['array', 'null'],
    items: { type: 'string', enum: [...qualityWords] },
    description: `The qualities of the items to include, by the field of the role \`quality\`. \`[]\`, the default, means good ones. With another word than \`good\`, items are shown with that field, before the metrics. ${orNull}`,
    examples: [['good', 'uncertain']],
  }),
)

/** Properties of every data query. */
const selection = {
  entity,
  id_name_field: optionalText(
    'The tag field to group by, if the entity has several: `ids` and `prefixes` filter by it, only it is shown, and the others are pooled unless `fields` names them. Without it, `ids` and `prefixes` filter by the first tag field; "each tag" is each combination of all tags, and all are shown, in the order of the definition.',
    ['T'],
  ),
  ids: optionalList('Values of the tag to return. `[]`, the default, means all.', [['boiler.temp', 'boiler.flow']]),
  prefixes: optionalList(
    'Prefixes of the tag values to return. With `ids`, a value must match both. `[]`, the default, means all. ' +
      'There are no wildcards: every character is literal.',
    [['boiler.']],
    prefixesMax,
  ),
  quality,
}

const metrics = optionalList(
  'Metric fields to return. An item is a row in which at least one of them is not null. `[]`, the default, means all metrics.',
  [['V']],
  namesMax,
)

const averagedMetrics = optionalList(
  'Numeric metric fields to return. `[]`, the default, means all numeric metrics.',
  [['V']],
  namesMax,
)

const fields = optionalList(
  'Extra dimension and tag fields to return, before the metrics. A tag that is shown anyway is shown once. `[]`, the default, means none.',
  [['site']],
  namesMax,
)

const range = {
  start_date: optionalText(
    'The earliest date, in ISO 8601 (UTC without a zone), or a duration before `end_date` such as `PT15M`; without an `end_date` the range then ends now. Without a `start_date` the range has no start.',
    ['2026-01-01T00:00:00Z', 'PT15M'],
  ),
  end_date: optionalText(
    'The latest date, in ISO 8601 (UTC without a zone), or a duration after `start_date` such as `P1D`. Without it the range has no end, or ends now where `start_date` is a duration. Both ends are included: `PT2H` from 08:00 includes the item of 10:00. So means of rows by hour have three buckets, and `PT1H59M59.999S` leaves the end out; values over time (`weight`, `aggregate`, `states`) have two, as the third has no length.',
    ['2026-01-02T00:00:00Z', 'P1D'],
  ),
}

const granularityForms = `${Object.keys(granularityNames)
  .map((name) => `\`${name}\``)
  .join(
    ', ',
  )}, in any case, or a period, in ISO 8601 such as \`PT5M\` or as a number with a unit: \`500ms\`, \`30s\`, \`5m\`, \`1h\`, \`1d\`, \`1w\``

const time_zone = optionalText(
  'Whose clocks the buckets begin by: a name of the IANA database. Dates of the request that name no zone are on these clocks too, and durations are added by this calendar. Default: the zone of the entity, else UTC; dates without a zone are then in UTC. Dates in answers are always in UTC.',
  ['Europe/Madrid'],
)

const max_gap = optionalText(
  'The longest gap that is filled, as an ISO 8601 duration: from the end of the last known bucket to the start of the bucket that is filled. Default: no bound.',
  ['PT1H'],
)

const fill = optionalWord(
  ['none', ...fillKinds],
  'What the buckets without items are shown with, for each tag (and `fields`) that has any, from the start of the range (left out: the first bucket with items) to its end (left out: the last one). `none`, the default: they have no row. `null`: nulls. `previous`: the value of the last bucket that has one. `linear`: on the line between the starts of the buckets before and behind.',
  'previous',
)

const shape = optionalWord(
  shapes,
  "How a value goes from one item to the next: on the `line` between them, or as a `step`, where it holds. Default: the tag's own (`shape_from` of the entity), else that of the metric (`shapes` of the entity), else `line` for doubles and `step` for all else.",
  'step',
)

const max_gap_of_values = optionalText(
  'How far from an item a value is known, as an ISO 8601 duration: in a step until so long after the item, on a line between two items that are no further apart. Default: that of the metric (`max_gaps` of the entity), else no bound. With `fill` it also bounds `previous` and `linear`: from the end of the last known bucket to the start of the bucket that is filled.',
  ['PT1H'],
)

const weight = optionalWord(
  ['rows', 'time'],
  'What the mean is of. `rows`, the default: each item counts alike. `time`: the value as a function of time, over the part of the bucket in which it is known.',
  'time',
)

const average = {
  ...selection,
  ...range,
  metric_name_field: averagedMetrics,
  granularity: optionalText(
    `The length of the buckets: ${granularityForms}. Default: \`all\`, one bucket for the whole range.`,
    ['hour', 'PT5M', '5m'],
  ),
  time_zone,
  fill,
  max_gap,
}

const offset = optionalNumber(
  'integer',
  { minimum: 0 },
  'How many items of each tag to skip, counting away from `date`. Default: 0.',
  0,
)

const referenceDate = (side: string) =>
  Type.String({
    description: `The reference date, in ISO 8601. The answer holds items strictly ${side} it. A duration such as \`PT15M\` counts back from now.`,
    examples: ['2026-01-01T00:00:00Z'],
  })

const overTime = { weight, shape, max_gap: max_gap_of_values }

const AverageRequest = Type.Object(
  { ...average, ...overTime },
  {
    ...closed,
    description: 'The mean of each metric, for each bucket and tag.',
  },
)

const AverageDimensionsRequest = Type.Object(
  { ...average, fields, ...overTime },
  { ...closed, description: 'The mean of each metric, for each bucket, tag and combination of `fields`.' },
)

const AverageGranularityRequest = Type.Object(
  { ...average, fields, weight },
  {
    ...closed,
    description:
      'The mean of each metric, for each bucket and combination of `fields`. It pools all selected tags; those in `fields` are kept separate.',
  },
)

const SelectRequest = Type.Object(
  { ...selection, ...range, metric_name_field: metrics, fields },
  { ...closed, description: 'Each item in the range.' },
)

/** Query parameters of the stream of an entity's new items. */
export const LiveRequest = Type.Object(
  {
    ...selection,
    metric_name_field: metrics,
    fields,
    after: optionalText(
      'The last `id` of an earlier stream of this entity: the stream continues after it. The header `Last-Event-ID`, which a browser sends when it reconnects, takes precedence.',
      ['5f0c3a9be41d7c22-1834-kq3c0O9mJdVx2hYt'],
    ),
  },
  closed,
)

const LatestRequest = Type.Object(
  {
    ...selection,
    metric_name_field: metrics,
    date: optionalText(
      'Earliest date to return, in ISO 8601. A duration such as `PT15M` counts back from now. Without it, the newest item of all time.',
      ['PT15M', '2026-01-01T00:00:00Z'],
    ),
  },
  { ...closed, description: 'The newest item of each tag, at or after `date`.' },
)

const neighbour = (side: string) => ({
  ...selection,
  metric_name_field: metrics,
  fields,
  date: referenceDate(side),
  offset,
})

const LastRequest = Type.Object(neighbour('before'), {
  ...closed,
  description: 'For each tag, the newest item strictly before `date`, after skipping `offset` of them.',
})

const NextRequest = Type.Object(neighbour('after'), {
  ...closed,
  description: 'For each tag, the oldest item strictly after `date`, after skipping `offset` of them.',
})

const SnapRequest = Type.Object(
  {
    ...selection,
    ...range,
    metric_name_field: metrics,
    granularity: optionalText(
      `The ticks at which each tag's state is returned: the starts of buckets within the range. One of ${granularityForms}, ` +
        'but not `none`. Default: `all`, the one tick `end_date` (left out: now). Any other needs a `start_date`.',
      ['hour'],
    ),
    time_zone,
    shape: optionalWord(
      shapes,
      'With it, each metric has its value at the tick by its own items: on the `line` between them, or held as a `step`; null where it is not known. The date is that of the newest item before.',
      'line',
    ),
    max_gap: max_gap_of_values,
  },
  { ...closed, description: "For each tick and tag, the tag's newest item at or before the tick, however old." },
)

const AggregateRequest = Type.Object(
  {
    ...average,
    fields,
    aggregates: Type.Array(Type.Enum([...aggregateNames], { type: 'string' }), {
      minItems: 1,
      maxItems: aggregatesMax,
      description:
        'The aggregates of each metric, under `<metric>.<aggregate>`. Of the items: `mean`, `min`, `max`, `sum`, `count`, `first`, `last`, `stddev` (of the sample), and `min_time` and `max_time`, the dates of the first least and greatest one. Of the value over time: `time_mean`, `total` (the integral, see `total_unit`) and `covered`, the part of the bucket in which it is known, from 0 to 1. Of counters: `rise`, what was counted, shared between buckets by the line between the items, and `resets`. `good` is the part of the items that are good, whatever `quality` takes.',
      examples: [['time_mean', 'covered']],
    }),
    shape,
    max_gap: max_gap_of_values,
    total_unit: optionalWord(
      Object.keys(totalUnits) as TotalUnit[],
      'The unit of time of `total`: kW and `hour`, the default, give kWh.',
      'hour',
    ),
    reset: optionalWord(
      ['zero', 'skip'],
      'What a fall of a counter means for `rise`: it counts from 0 to the new value (`zero`, the default), or from the new value on (`skip`).',
      'zero',
    ),
    wrap: optionalNumber(
      'number',
      { exclusiveMinimum: 0 },
      'Where a counter begins at 0 again: a fall counts on through it, and is no reset.',
      65536,
    ),
  },
  {
    ...closed,
    description:
      'The aggregates of each metric for each bucket, tag and combination of `fields`, each of which is its own function of time. Of items of one date only the newest counts.',
  },
)

const PlotRequest = Type.Object(
  {
    ...selection,
    ...range,
    metric_name_field: metrics,
    time_zone,
    points: optionalNumber(
      'integer',
      { minimum: 1, maximum: pointsMax },
      `How many parts the range is cut into, as a chart has pixels. Default: ${pointsDefault}.`,
      pointsDefault,
    ),
  },
  {
    ...closed,
    description:
      'The items that a chart needs: of each part of the range the first, the last, the least and the greatest item of each tag and metric; of a metric that is not numeric each item whose value differs from the one before.',
  },
)

const StatesRequest = Type.Object(
  { ...average, metric_name_field: metrics, max_gap: max_gap_of_values },
  {
    ...closed,
    description:
      'How long each metric, of any type, had each value, and how often it took it, for each bucket and tag. A value holds until the next item.',
  },
)

/** The body of each data query, by the last segment of its path. */
export const queryRequests = {
  average: AverageRequest,
  'average-dimensions': AverageDimensionsRequest,
  'average-granularity': AverageGranularityRequest,
  select: SelectRequest,
  latest: LatestRequest,
  last: LastRequest,
  next: NextRequest,
  snap: SnapRequest,
  aggregate: AggregateRequest,
  plot: PlotRequest,
  states: StatesRequest,
} as const satisfies { readonly [Kind in QueryKind]: TSchema }

/** Limited because deletions are stored, and sent to live readers. */
const deletionTagsMax = 1000

/** The selection and the reason of a deletion. */
export const DeletionBody = Type.Object(
  {
    ids: optionalList('Values of the tag.', [['boiler.temp']], deletionTagsMax),
    prefixes: optionalList(
      'Prefixes of the tag values. With `ids`, a value must match both.',
      [['boiler.']],
      deletionTagsMax,
    ),
    id_name_field: optionalText('The tag field that `ids` and `prefixes` are of. Default: the first.', ['T']),
    ...range,
    metrics: optionalList(
      'The metrics that read as null in the selected items, which stay. Without it the items themselves are hidden.',
      [['V']],
      namesMax,
    ),
    where: Type.Optional(
      Type.Union(
        [
          Type.Object(
            {
              metric: Type.String({ examples: ['V'] }),
              op: Type.Enum([...deletionOperators]),
              value: Type.Union([Type.Number(), Type.String(), Type.Boolean()], {
                description:
                  'Of the type of the metric. A long beyond 2^53 is written as a string of digits, a date as in ISO 8601.',
                examples: [1000],
              }),
            },
            { ...closed, description: 'Only items of which a metric has such a value. A null has none.' },
          ),
          Type.Null(),
        ],
        { examples: [{ metric: 'V', op: '>', value: 1000 }] },
      ),
    ),
    reason: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'The reason, for later readers.',
      examples: ['Wrong unit since commissioning'],
    }),
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Nothing is deleted: the answer says how many rows it would hide.' }),
    ),
  },
  {
    ...closed,
    description:
      'Needs one of `ids`, `prefixes`, `start_date`, `end_date` and `where` at least. An item must match all that are given.',
  },
)
export type DeletionBody = Static<typeof DeletionBody>

/** The part of a property's schema that is used here. */
export interface PropertySchema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly PropertySchema[]
  readonly enum?: readonly unknown[]
  readonly exclusiveMinimum?: number
  readonly description?: string
}

/** The property without null, for an address or an assistant, which omit a property instead. */
export function withoutNull(schema: PropertySchema): PropertySchema {
  const { type, anyOf, description, ...rest } = schema
  const types = [type ?? []].flat().filter((one) => one !== 'null')
  return {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? types[0]! : types }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.filter((one) => one.type !== 'null') }),
    ...(description === undefined ? {} : { description: description.replace(` ${orNull}`, '') }),
    ...rest,
  }
}

export type QueryRequest<Kind extends QueryKind> = Static<(typeof queryRequests)[Kind]>

/** The part of a request that selects items. */
export type SelectionRequest = Pick<
  QueryRequest<'select'>,
  'id_name_field' | 'ids' | 'prefixes' | 'metric_name_field' | 'fields' | 'quality'
>
export type FillRequest = Pick<QueryRequest<'average'>, 'fill' | 'max_gap'>
export type RangeRequest = Pick<QueryRequest<'select'>, 'start_date' | 'end_date'>

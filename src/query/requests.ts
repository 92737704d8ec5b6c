// The bodies of the eight data queries. They become the OpenAPI document, so each property says what it means.
import Type, { type Static, type TSchema } from 'typebox'
import { granularityNames } from '../model/granularity.ts'
import { fillKinds } from '../model/plan.ts'
import type { QueryKind } from '../model/query-kind.ts'

/** Names that one list may hold. The list of `ids` is bounded by the size of the body alone. */
const namesMax = 10_000
/** Every tag of the entity is held against every prefix. */
const prefixesMax = 10_000

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

const entity = Type.String({
  description: 'The entity to query: `GET /consumer/data/entities` lists them.',
  examples: ['plant'],
})

/** What every data query takes. */
const selection = {
  entity,
  id_name_field: optionalText(
    'The tag field to group by, if the entity has several: `ids` and `prefixes` filter by it, only it is shown, and the others are pooled unless `fields` names them. Without it, `ids` and `prefixes` filter by the first tag field; "each tag" is each combination of all tags, and all are shown, in the order of the definition.',
    ['T'],
  ),
  ids: optionalList('Values of the tag to return. `[]`, the default, means all.', [['boiler.temp', 'boiler.flow']]),
  prefixes: optionalList(
    'Prefixes of the tag values to return. With `ids`, a value must match both. `[]`, the default, means all. ' +
      'There are no wildcards: every character stands for itself.',
    [['boiler.']],
    prefixesMax,
  ),
}

const metrics = optionalList(
  'Metric fields to return. An item is a row in which at least one of them is not null. `[]`, the default, means all metrics.',
  [['V']],
  namesMax,
)

const averagedMetrics = optionalList(
  'Numeric metric fields to average. `[]`, the default, means all numeric metrics.',
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
    'The latest date, in ISO 8601 (UTC without a zone), or a duration after `start_date` such as `P1D`. Without it the range has no end, or ends now where `start_date` is a duration. Both ends are included: `PT2H` from 08:00 includes the item of 10:00, so by hour it has three buckets. `PT1H59M59.999S` leaves the end out.',
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

const fill = Type.Optional(
  Type.Unsafe<'none' | (typeof fillKinds)[number] | null>({
    type: ['string', 'null'],
    enum: ['none', ...fillKinds, null],
    description: `What the buckets without items are shown with, for each tag (and \`fields\`) that has any, from the start of the range (left out: the first bucket with items) to its end (left out: the last one). \`none\`, the default: they have no row. \`null\`: nulls. \`previous\`: the value of the last bucket that has one. \`linear\`: on the line between the starts of the buckets before and behind. ${orNull}`,
    examples: ['previous'],
  }),
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

const offset = Type.Optional(
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    description: `How many items of each tag to skip, counting away from \`date\`. Default: 0. ${orNull}`,
    examples: [0],
  }),
)

const referenceDate = (side: string) =>
  Type.String({
    description: `The reference date, in ISO 8601. The answer holds items strictly ${side} it. A duration such as \`PT15M\` counts back from now.`,
    examples: ['2026-01-01T00:00:00Z'],
  })

const closed = { additionalProperties: false }

const AverageRequest = Type.Object(average, {
  ...closed,
  description: 'The mean of each metric, for each bucket and tag.',
})

const AverageDimensionsRequest = Type.Object(
  { ...average, fields },
  { ...closed, description: 'The mean of each metric, for each bucket, tag and combination of `fields`.' },
)

const AverageGranularityRequest = Type.Object(
  { ...average, fields },
  {
    ...closed,
    description:
      'The mean of each metric, for each bucket and combination of `fields`. It pools all selected tags; those that `fields` names are kept apart.',
  },
)

const SelectRequest = Type.Object(
  { ...selection, ...range, metric_name_field: metrics, fields },
  { ...closed, description: 'Each item in the range.' },
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
  },
  { ...closed, description: "For each tick and tag, the tag's newest item at or before the tick, however old." },
)

/** The body of each data query, by the last part of its path. */
export const queryRequests = {
  average: AverageRequest,
  'average-dimensions': AverageDimensionsRequest,
  'average-granularity': AverageGranularityRequest,
  select: SelectRequest,
  latest: LatestRequest,
  last: LastRequest,
  next: NextRequest,
  snap: SnapRequest,
} as const satisfies { readonly [Kind in QueryKind]: TSchema }

export type QueryRequest<Kind extends QueryKind> = Static<(typeof queryRequests)[Kind]>

/** The part of a request that says which items are looked at. */
export type SelectionRequest = Pick<
  QueryRequest<'select'>,
  'id_name_field' | 'ids' | 'prefixes' | 'metric_name_field' | 'fields'
>
export type FillRequest = Pick<QueryRequest<'average'>, 'fill' | 'max_gap'>
export type RangeRequest = Pick<QueryRequest<'select'>, 'start_date' | 'end_date'>

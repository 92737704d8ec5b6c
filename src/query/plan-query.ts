// Data queries: finds the entity, which the reader must be allowed to read, and plans the query.
import type { Language, QueryLimits, ReadQuery } from '../admission/queries.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { Zone } from '../druid-time/zone.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import { type Duration, parseDuration } from '../model/duration.ts'
import { defaultShape, type Entity, type Shape } from '../model/entity.ts'
import type {
  AggregatePlan,
  AveragePlan,
  Fill,
  LatestPlan,
  NeighbourPlan,
  Plan,
  PlotPlan,
  Selection,
  SelectPlan,
  SnapPlan,
  StatesPlan,
  ValuesOverTime,
} from '../model/plan.ts'
import { isSmallPlan } from '../model/plan-size.ts'
import { invalidRequest } from '../model/problem.ts'
import type { QueryKind } from '../model/query-kind.ts'
import { Faults } from './faults.ts'
import type { PlanRunner } from './plan-runner.ts'
import { readDate, readRange } from './range.ts'
import { readableEntity } from './readable-entity.ts'
import { type FillRequest, pointsDefault, type QueryRequest, type RangeRequest, totalUnits } from './requests.ts'
import { readSelection } from './selection.ts'
import { type TagShapeParts, tagShapes } from './tag-shapes.ts'
import { type CutRange, readGranularity, readTickGranularity, readZone, ticksOf } from './ticks.ts'

export interface DataQuestion<Kind extends QueryKind = QueryKind> {
  readonly kind: Kind
  readonly request: QueryRequest<Kind>
  readonly format: AnswerFormat
}

export interface DataLanguageParts {
  readonly definitions: Pick<Definitions, 'entity' | 'entities' | 'metadataEntity'>
  /** Metadata items, which may set the shapes of tags. */
  readonly items: TagShapeParts['items']
  readonly runner: Pick<PlanRunner, 'run'>
  readonly nowMs: () => number
  readonly limits: QueryLimits
}

/** Throws Problem `unknown_entity`, `forbidden`, `invalid_request` or `too_many_buckets`. */
export function dataLanguage({ definitions, items, runner, nowMs, limits }: DataLanguageParts): Language<DataQuestion> {
  return {
    advice: 'Narrow the query: a shorter range, fewer tags (ids, prefixes) or fewer metrics.',
    timeoutMs: () => 0,
    read: ({ kind, request, format }, { reader }) => {
      const entity = readableEntity(definitions, request.entity, reader)
      const planned = planQuery(kind, request, { entity, nowMs: nowMs(), bucketsMax: limits.buckets })
      const readPlan = (plan: Plan): ReadQuery => {
        const question = { language: 'data', plan, format } as const
        return {
          kind: isSmallPlan(plan) ? 'small' : 'data',
          engines: [{ name: null, answer: (deadline) => runner.run(question, limits, deadline) }],
        }
      }
      const shapeFrom = 'shape' in request && request.shape != null ? undefined : entity.reading?.shapeFrom
      // States are always steps, so only aggregates need the shapes of tags.
      if (shapeFrom === undefined || planned.kind !== 'aggregate') return readPlan(planned)
      return tagShapes(shapeFrom, planned.selection, { definitions, items }).then((shapeOfTag) =>
        readPlan({ ...planned, values: { ...planned.values, shapeOfTag } }),
      )
    },
  }
}

/** The context in which a request is interpreted. */
export interface PlanContext {
  readonly entity: Entity
  /** The time from which durations count back. */
  readonly nowMs: number
  /** The most ticks that a plan may have. */
  readonly bucketsMax: number
}

/** Throws Problem `invalid_request` with all faults found, and `too_many_buckets` for too many ticks. */
export function planQuery<Kind extends QueryKind>(kind: Kind, request: QueryRequest<Kind>, context: PlanContext): Plan {
  return planners[kind](request, context)
}

type Planner<Kind extends QueryKind> = (request: QueryRequest<Kind>, context: PlanContext) => Plan

const planners: { readonly [Kind in QueryKind]: Planner<Kind> } = {
  average: planMean,
  'average-dimensions': planMean,
  'average-granularity': (request, context) => planAverage(request, context, false),
  select: planSelect,
  latest: planLatest,
  last: (request, context) => planNeighbour('last', request, context),
  next: (request, context) => planNeighbour('next', request, context),
  snap: planSnap,
  aggregate: planAggregate,
  plot: planPlot,
  states: planStates,
}

const ofItems = { numericOnly: false, tagsInOutput: true, ofItems: true }

/** The mean of rows, or of the value over time. */
function planMean(request: QueryRequest<'average-dimensions'>, context: PlanContext): AveragePlan | AggregatePlan {
  if (request.weight === 'time') return planTimeMean(request, context)
  if (request.shape != null) {
    throw invalidRequest('shape', 'needs "weight": "time": a mean of rows has no shape')
  }
  return planAverage(request, context, true)
}

function planAverage(
  request: QueryRequest<'average-granularity'>,
  { entity, nowMs }: PlanContext,
  byTag: boolean,
): AveragePlan {
  const faults = new Faults()
  if (request.weight === 'time') {
    faults.add(
      'weight',
      'the pooled rows of several tags have no mean over time. Use average-dimensions, which keeps tags separate',
    )
  }
  const selection = readSelection(entity, request, { numericOnly: true, tagsInOutput: byTag, ofItems: false }, faults)
  const { zone, range } = readZonedRange(request, { entity, nowMs }, faults)
  const granularity = readGranularity(request.granularity, { zone, range }, faults)
  const fill = readFill(request, readMaxGap(request, faults))
  faults.throwIfAny()
  return { kind: 'average', selection, range, granularity, byTag, ...(fill === null ? {} : { fill }) }
}

/** Dates without a zone are local only if the request itself names a zone; otherwise they are in UTC. */
function readZonedRange(
  request: RangeRequest & { readonly time_zone?: string | null },
  { entity, nowMs }: Pick<PlanContext, 'entity' | 'nowMs'>,
  faults: Faults,
): CutRange {
  const zone = readZone(request.time_zone, entity, faults)
  return { zone, range: readRange(request, nowMs, faults, request.time_zone == null ? Zone.utc : zone) }
}

function readFill({ fill }: FillRequest, maxGap: Duration | null): Fill | null {
  return fill == null || fill === 'none' ? null : { kind: fill, maxGap }
}

function readMaxGap({ max_gap }: Pick<FillRequest, 'max_gap'>, faults: Faults): Duration | null {
  if (max_gap == null) return null
  const maxGap = parseDuration(max_gap)
  if (maxGap === null) {
    faults.add('max_gap', `${JSON.stringify(max_gap)} is not an ISO 8601 duration. Give one such as "PT1H" or "P1D"`)
  }
  return maxGap
}

/** Its columns have the names of the metrics. */
const planTimeMean = (request: QueryRequest<'average-dimensions'>, context: PlanContext): AggregatePlan =>
  planOverTime(request, context, {
    onlyKnown: true,
    columnsOf: (metrics) => metrics.map(({ name }, metric) => ({ name, metric, aggregate: 'time_mean' })),
  })

function planAggregate(request: QueryRequest<'aggregate'>, context: PlanContext): AggregatePlan {
  const aggregates = [...new Set(request.aggregates)]
  const columnsOf = (metrics: Selection['metrics'], faults: Faults): AggregatePlan['columns'] => {
    const columns = metrics.flatMap(({ name }, metric) =>
      aggregates.map((aggregate) => ({ name: `${name}.${aggregate}`, metric, aggregate })),
    )
    const taken = columns.find(({ name }) => context.entity.fields.some((field) => field.name === name))
    if (taken !== undefined)
      faults.add('aggregates', `the answer's column "${taken.name}" is also a field of the entity. Leave it out`)
    return columns
  }
  return planOverTime(request, context, { onlyKnown: false, columnsOf })
}

interface ShownColumns extends Pick<AggregatePlan, 'onlyKnown'> {
  readonly columnsOf: (metrics: Selection['metrics'], faults: Faults) => AggregatePlan['columns']
}

function planOverTime(
  request: Omit<QueryRequest<'aggregate'>, 'aggregates'>,
  { entity, nowMs }: PlanContext,
  { onlyKnown, columnsOf }: ShownColumns,
): AggregatePlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, { numericOnly: true, tagsInOutput: true, ofItems: false }, faults)
  const { zone, range } = readZonedRange(request, { entity, nowMs }, faults)
  const granularity = readGranularity(request.granularity, { zone, range }, faults)
  const maxGap = readMaxGap(request, faults)
  const values = readValues(request.shape, maxGap, selection, { entity, nowMs })
  const fill = readFill(request, maxGap)
  const columns = columnsOf(selection.metrics, faults)
  faults.throwIfAny()
  return {
    kind: 'aggregate',
    selection,
    range,
    granularity,
    values,
    columns,
    onlyKnown,
    totalUnitMs: totalUnits[request.total_unit ?? 'hour'],
    counter: { reset: request.reset ?? 'zero', wrap: request.wrap ?? null },
    ...(fill === null ? {} : { fill }),
  }
}

function planStates(request: QueryRequest<'states'>, { entity, nowMs }: PlanContext): StatesPlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, { ...ofItems, ofItems: false }, faults)
  const { zone, range } = readZonedRange(request, { entity, nowMs }, faults)
  const granularity = readGranularity(request.granularity, { zone, range }, faults)
  const maxGap = readMaxGap(request, faults)
  const values = readValues('step', maxGap, selection, { entity, nowMs })
  const fill = readFill(request, maxGap)
  const tag = selection.tags.find(({ name }) => ['metric', 'value', 'seconds', 'entries'].includes(name))
  if (tag !== undefined) {
    faults.add('id_name_field', `the tag "${tag.name}" has the name of a column of the answer. Choose another one`)
  }
  faults.throwIfAny()
  return { kind: 'states', selection, range, granularity, values, ...(fill === null ? {} : { fill }) }
}

function planPlot(request: QueryRequest<'plot'>, { entity, nowMs }: PlanContext): PlotPlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, ofItems, faults)
  const { range } = readZonedRange(request, { entity, nowMs }, faults)
  faults.throwIfAny()
  return { kind: 'plot', selection, range, points: request.points ?? pointsDefault }
}

/** Shape and gap come from the request, or else from the entity. Shapes of single tags, from metadata, are added later. */
function readValues(
  shape: Shape | null | undefined,
  maxGap: Duration | null,
  { metrics }: Selection,
  { entity, nowMs }: Pick<PlanContext, 'entity' | 'nowMs'>,
): ValuesOverTime {
  const { shapes, maxGaps } = entity.reading ?? {}
  return {
    metrics: metrics.map(({ name, type }) => ({
      shape: shape ?? shapes?.[name] ?? defaultShape(type),
      maxGap: maxGap ?? (maxGaps?.[name] === undefined ? null : parseDuration(maxGaps[name])),
    })),
    shapeOfTag: [],
    nowMs,
  }
}

function planSelect(request: QueryRequest<'select'>, { entity, nowMs }: PlanContext): SelectPlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, ofItems, faults)
  const range = readRange(request, nowMs, faults)
  faults.throwIfAny()
  return { kind: 'select', selection, range }
}

function planLatest(request: QueryRequest<'latest'>, { entity, nowMs }: PlanContext): LatestPlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, ofItems, faults)
  const fromMs = request.date == null ? Number.NEGATIVE_INFINITY : readDate(request.date, nowMs, faults)
  faults.throwIfAny()
  return { kind: 'latest', selection, fromMs }
}

function planNeighbour(
  kind: 'last' | 'next',
  request: QueryRequest<'last'>,
  { entity, nowMs }: PlanContext,
): NeighbourPlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, ofItems, faults)
  const dateMs = readDate(request.date, nowMs, faults)
  faults.throwIfAny()
  return { kind, selection, dateMs, offset: request.offset ?? 0 }
}

function planSnap(request: QueryRequest<'snap'>, { entity, nowMs, bucketsMax }: PlanContext): SnapPlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, { ...ofItems, ofItems: request.shape == null }, faults)
  const { zone, range } = readZonedRange(request, { entity, nowMs }, faults)
  const granularity = readTickGranularity(request.granularity, { zone, range }, faults)
  if (granularity.kind !== 'all' && request.start_date == null) {
    faults.add('start_date', 'it is required, unless granularity is "all": the ticks start there')
  }
  const maxGap = readMaxGap(request, faults)
  const values = request.shape == null ? null : readValues(request.shape, maxGap, selection, { entity, nowMs })
  faults.throwIfAny()
  const ticksMs = ticksOf(granularity, range, nowMs, bucketsMax)
  const start = Number.isFinite(range.fromMs) ? { startMs: range.fromMs } : {}
  const plan = { kind: 'snap', selection, ...start, ticksMs } as const
  return values === null ? plan : { ...plan, values }
}

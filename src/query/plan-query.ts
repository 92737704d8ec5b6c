import { Zone } from '../druid-time/zone.ts'
import { parseDuration } from '../model/duration.ts'
import type { Entity } from '../model/entity.ts'
import type { AveragePlan, Fill, LatestPlan, NeighbourPlan, Plan, SelectPlan, SnapPlan } from '../model/plan.ts'
import type { QueryKind } from '../model/query-kind.ts'
import { Faults } from './faults.ts'
import { readDate, readRange } from './range.ts'
import type { FillRequest, QueryRequest, RangeRequest } from './requests.ts'
import { readSelection } from './selection.ts'
import { type CutRange, readGranularity, readTickGranularity, readZone, ticksOf } from './ticks.ts'

/** What a request is understood against. */
export interface PlanContext {
  readonly entity: Entity
  /** What durations are counted back from. */
  readonly nowMs: number
  /** The most ticks that a plan may have. */
  readonly bucketsMax: number
}

/** Throws Problem `invalid_request` with all the faults found, and `too_many_buckets` for too many ticks. */
export function planQuery<Kind extends QueryKind>(kind: Kind, request: QueryRequest<Kind>, context: PlanContext): Plan {
  return planners[kind](request, context)
}

type Planner<Kind extends QueryKind> = (request: QueryRequest<Kind>, context: PlanContext) => Plan

const planners: { readonly [Kind in QueryKind]: Planner<Kind> } = {
  average: (request, context) => planAverage(request, context, true),
  'average-dimensions': (request, context) => planAverage(request, context, true),
  'average-granularity': (request, context) => planAverage(request, context, false),
  select: planSelect,
  latest: planLatest,
  last: (request, context) => planNeighbour('last', request, context),
  next: (request, context) => planNeighbour('next', request, context),
  snap: planSnap,
}

const items = { numericOnly: false, tagsInOutput: true }

function planAverage(
  request: QueryRequest<'average-dimensions'>,
  { entity, nowMs }: PlanContext,
  byTag: boolean,
): AveragePlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, { numericOnly: true, tagsInOutput: byTag }, faults)
  const { zone, range } = readZonedRange(request, { entity, nowMs }, faults)
  const granularity = readGranularity(request.granularity, { zone, range }, faults)
  const fill = readFill(request, faults)
  faults.throwIfAny()
  return { kind: 'average', selection, range, granularity, byTag, ...(fill === null ? {} : { fill }) }
}

/** Dates are on the clocks of a zone that the request itself names. */
function readZonedRange(
  request: RangeRequest & { readonly time_zone?: string | null },
  { entity, nowMs }: Pick<PlanContext, 'entity' | 'nowMs'>,
  faults: Faults,
): CutRange {
  const zone = readZone(request.time_zone, entity, faults)
  return { zone, range: readRange(request, nowMs, faults, request.time_zone == null ? Zone.utc : zone) }
}

function readFill({ fill, max_gap }: FillRequest, faults: Faults): Fill | null {
  const maxGap = max_gap == null ? null : parseDuration(max_gap)
  if (max_gap != null && maxGap === null) {
    faults.add('max_gap', `${JSON.stringify(max_gap)} is no ISO 8601 duration. Give one such as "PT1H" or "P1D"`)
  }
  return fill == null || fill === 'none' ? null : { kind: fill, maxGap }
}

function planSelect(request: QueryRequest<'select'>, { entity, nowMs }: PlanContext): SelectPlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, items, faults)
  const range = readRange(request, nowMs, faults)
  faults.throwIfAny()
  return { kind: 'select', selection, range }
}

function planLatest(request: QueryRequest<'latest'>, { entity, nowMs }: PlanContext): LatestPlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, items, faults)
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
  const selection = readSelection(entity, request, items, faults)
  const dateMs = readDate(request.date, nowMs, faults)
  faults.throwIfAny()
  return { kind, selection, dateMs, offset: request.offset ?? 0 }
}

function planSnap(request: QueryRequest<'snap'>, { entity, nowMs, bucketsMax }: PlanContext): SnapPlan {
  const faults = new Faults()
  const selection = readSelection(entity, request, items, faults)
  const { zone, range } = readZonedRange(request, { entity, nowMs }, faults)
  const granularity = readTickGranularity(request.granularity, { zone, range }, faults)
  if (granularity.kind !== 'all' && request.start_date == null) {
    faults.add('start_date', 'it is required, unless granularity is "all": the ticks start there')
  }
  faults.throwIfAny()
  return { kind: 'snap', selection, ticksMs: ticksOf(granularity, range, nowMs, bucketsMax) }
}

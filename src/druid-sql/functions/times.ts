import { type Period, parsePeriod, periodDays, periodMonths, periodTimeMs } from '../../druid-time/iso.ts'
import { timeParts } from '../../druid-time/time-parts.ts'
import { Zone } from '../../druid-time/zone.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { msPerDay } from '../../model/instant.ts'
import { as, textToTimestamp, timeOfMs, timestampLiteral } from '../bind/conversions.ts'
import { readInterval } from '../bind/intervals.ts'
import {
  ceilTo,
  floorTo,
  formatByPattern,
  parseTime,
  readPeriod,
  readZone,
  shiftTimestamp,
  timestampToLocal,
  unitPeriod,
} from '../bind/periods.ts'
import { type Bound, called, type EngineFunction, engineFunction } from '../bind/tree.ts'
import { boolean, date, long, string, timestamp, typeName } from '../bind/types.ts'
import { parseUnit } from '../parse/parse-unit.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type { TimeUnit } from '../parse/syntax.ts'
import { ceilNumber, floorNumber } from './numbers.ts'
import { type BoundCall, type Catalogue, constantText, neededText, type ScalarFunction, special } from './signature.ts'
import { withoutRepeats } from './text-limits.ts'

function zoneOf(call: BoundCall, index: number): Zone {
  const text = constantText(call, index)
  return text === null ? call.zone : readZone(text, call.operands[index]!.place)
}

function instant(call: BoundCall, index = 0): Bound {
  return as(call.operands[index]!, timestamp)
}

/** Druid's own functions accept only timestamps, not values that could be read as one. */
function timestampOf(call: BoundCall, index = 0): Bound {
  const operand = call.operands[index]!
  if (operand.type.kind === 'timestamp' || operand.type.kind === 'null') return as(operand, timestamp)
  const name = typeName(operand.type)
  throw sqlProblem(operand.place, `${call.name} needs a TIMESTAMP, not a value of type ${name}: CAST it`)
}

/** Buckets of a period on the clocks of a zone. */
export interface Buckets {
  readonly period: Period
  readonly zone: Zone
}

/** Rounds to the start of a bucket. The second operand is the origin of the buckets. */
const rounded = (rounding: typeof floorTo): EngineFunction<Buckets> =>
  engineFunction(([at, origin], { options: { period, zone }, place }) =>
    rounding(at!, period, zone, origin ?? null, place),
  )

export const floorTime = rounded(floorTo)
const ceilTime = rounded(ceilTo)

/** Writes the call once in advance, so that unsupported buckets are refused at `place`. */
function bucket(
  call: BoundCall,
  place: Place,
  fn: EngineFunction<Buckets>,
  operands: readonly Bound[],
  options: Buckets,
) {
  const texts = operands.map(() => sql`x`)
  fn.write(texts, { kind: 'call', fn, operands, options, type: timestamp, place }, { wraps: false, zone: call.zone })
  return called(call.place, timestamp, fn, operands, options)
}

const toPeriod = (fn: EngineFunction<Buckets>) =>
  special(2, 4, (call) => {
    const at = timestampOf(call)
    const { place } = call.operands[1]!
    const period = readPeriod(neededText(call, 1), place)
    const given = call.operands[2]
    const origin = given === undefined || given.type.kind === 'null' ? [] : [as(given, timestamp)]
    return bucket(call, place, fn, [at, ...origin], { period, zone: zoneOf(call, 3) })
  })

/** `FLOOR(x TO HOUR)`, and FLOOR of a number. */
const toUnit = (fn: EngineFunction<Buckets>, ofNumber: ScalarFunction) =>
  special(1, 1, (call) => {
    if (call.unit === null) return ofNumber.bind(call)
    const period = unitPeriod(parseUnit(call.unit, call.unitPlace!))
    return called(call.place, timestamp, fn, [instant(call)], { period, zone: call.zone })
  })

/** The units of DATE_TRUNC, of which only two are plurals. Long units count from 1970. */
export const truncatedUnits: ReadonlyMap<string, Period> = new Map(
  (
    [
      ['MICROSECONDS', 'PT0.001S'],
      ['MILLISECONDS', 'PT0.001S'],
      ['SECOND', 'PT1S'],
      ['MINUTE', 'PT1M'],
      ['HOUR', 'PT1H'],
      ['DAY', 'P1D'],
      ['WEEK', 'P1W'],
      ['MONTH', 'P1M'],
      ['QUARTER', 'P3M'],
      ['YEAR', 'P1Y'],
      ['DECADE', 'P10Y'],
      ['CENTURY', 'P100Y'],
      ['MILLENNIUM', 'P1000Y'],
    ] as const
  ).map(([unit, period]) => [unit, parsePeriod(period)!]),
)

const dateTrunc = special(2, 2, (call) => {
  const at = timestampOf(call, 1)
  const unit = neededText(call, 0)
  const period = truncatedUnits.get(unit.toUpperCase())
  if (period === undefined)
    throw sqlProblem(
      call.operands[0]!.place,
      `DATE_TRUNC does not accept ${quoted(unit)}: use one of ${[...truncatedUnits.keys()].join(', ')}`,
    )
  return called(call.place, timestamp, floorTime, [at], { period, zone: call.zone })
})

/** The operands are a time and the number of periods to move it by. */
const movedTime = engineFunction<Buckets>(([at, count], { options: { period, zone } }) =>
  shiftTimestamp(at!, period, zone, count!),
)

const timeShift = special(3, 4, (call) => {
  const at = timestampOf(call)
  const count = as(call.operands[2]!, long)
  const period = readPeriod(neededText(call, 1), call.operands[1]!.place)
  return called(call.place, timestamp, movedTime, [at, count], { period, zone: zoneOf(call, 3) })
})

const timestampAdd = special(2, 2, (call) => {
  const count = as(call.operands[0]!, long)
  const at = instant(call, 1)
  const period = unitPeriod(parseUnit(call.unit!, call.unitPlace!))
  const zone = periodMonths(period) === 0 ? Zone.utc : call.zone
  return called(call.place, timestamp, movedTime, [at, count], { period, zone })
})

/** The number of whole units between two instants, negative if the first is later. */
const unitsBetween = engineFunction<{ readonly unit: TimeUnit }>(([from, to], { options: { unit } }, { zone }) => {
  const period = unitPeriod(unit)
  const fixedMs = periodTimeMs(period) + periodDays(period) * msPerDay
  const local = (at: Sql): Sql => timestampToLocal(at, zone)
  return fixedMs > 0
    ? sql`((epoch_ms(${to!}) - epoch_ms(${from!})) // ${sql.long(fixedMs)})`
    : sql`date_sub(${sql.literal(unit.toLowerCase())}, ${local(from!)}, ${local(to!)})`
})

const timestampDiff = special(2, 2, (call) =>
  called(call.place, long, unitsBetween, [instant(call, 0), instant(call, 1)], {
    unit: parseUnit(call.unit!, call.unitPlace!),
  }),
)

type Part = (local: Sql, at: Sql) => Sql
const datePart =
  (name: string): Part =>
  (local) =>
    sql`CAST(date_part(${sql.literal(name)}, ${local}) AS BIGINT)`

/** The parts that SQL computes in its own way. */
const ownParts: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['EPOCH', (_local, at) => sql`(epoch_ms(${at}) // 1000::BIGINT)`],
  ['MILLISECOND', (local) => sql`((epoch_ms(${local}) % 1000::BIGINT + 1000::BIGINT) % 1000::BIGINT)`],
  ['DECADE', datePart('decade')],
  ['CENTURY', datePart('century')],
  ['MILLENNIUM', datePart('millennium')],
])

const parts: ReadonlyMap<string, Part> = new Map(
  [...timeParts].map(([unit, name]) => [unit, name === null ? ownParts.get(unit)! : datePart(name)]),
)

const partOf = engineFunction<{ readonly unit: string; readonly zone: Zone }>(([at], { options: { unit, zone } }) =>
  parts.get(unit)!(timestampToLocal(at!, zone), at!),
)

function extracted(call: BoundCall, at: Bound, unit: string, unitPlace: Place, zone: Zone): Bound {
  if (!parts.has(unit.toUpperCase()))
    throw sqlProblem(unitPlace, `${quoted(unit)} is not a part of a time: use one of ${[...parts.keys()].join(', ')}`)
  return called(call.place, long, partOf, [at], { unit: unit.toUpperCase(), zone })
}

const extract = special(1, 1, (call) => extracted(call, instant(call), call.unit!, call.unitPlace!, call.zone))
const timeExtract = special(2, 3, (call) =>
  extracted(call, timestampOf(call), neededText(call, 1), call.operands[1]!.place, zoneOf(call, 2)),
)
/** `YEAR(x)` and similar functions. */
const partFunction = (unit: string) =>
  special(1, 1, (call) => extracted(call, instant(call), unit, call.place, call.zone))

interface Pattern {
  /** Null for ISO 8601. */
  readonly pattern: string | null
  readonly zone: Zone
}

const parsed = engineFunction<Pattern>(([text], { options: { pattern, zone }, place }) =>
  pattern === null ? textToTimestamp(text!, zone) : parseTime(text!, pattern, zone, place),
)

const timeParse = special(1, 3, (call) => {
  const text = as(call.operands[0]!, string)
  const pattern = constantText(call, 1)
  const zone = zoneOf(call, 2)
  if (pattern !== null) parseTime(sql`x`, pattern, zone, call.operands[1]!.place)
  return called(call.place, timestamp, parsed, [text], { pattern, zone })
})

const written = engineFunction<{ readonly pattern: string; readonly zone: Zone }>(
  ([at], { options: { pattern, zone }, place }) => formatByPattern(at!, pattern, zone, place),
)

const timeFormat = special(1, 3, (call) => {
  const at = timestampOf(call)
  const pattern = constantText(call, 1) ?? "yyyy-MM-dd'T'HH:mm:ss.SSSZZ"
  const zone = zoneOf(call, 2)
  formatByPattern(sql`x`, pattern, zone, call.operands[1]?.place ?? call.place)
  return called(call.place, string, written, [at], { pattern, zone })
})

/** Whether a time is in a half-open range. */
export const inInterval = engineFunction<{ readonly startMs: number; readonly endMs: number }>(
  ([at], { options: { startMs, endMs } }) =>
    withoutRepeats([at!], (x) => sql`(${x} >= ${timestampLiteral(startMs)} AND ${x} < ${timestampLiteral(endMs)})`),
)

const timeInInterval = special(2, 2, (call) => {
  const at = timestampOf(call)
  const [startMs, endMs] = readInterval(neededText(call, 1), call.zone, call.operands[1]!.place)
  return called(call.place, boolean, inInterval, [at], { startMs, endMs })
})

const utcNow = sql`make_timestamp(epoch_us(now()))`
export const now = engineFunction(() => sql`date_trunc('millisecond', ${utcNow})`)
const today = engineFunction((_, __, { zone }) => sql`CAST(${timestampToLocal(utcNow, zone)} AS DATE)`)
export const timeOfMilliseconds = engineFunction((operands) => withoutRepeats(operands, timeOfMs))
const milliseconds = engineFunction(([at]) => sql`epoch_ms(${at!})`)

const currentTime = special(0, 0, ({ place }) => called(place, timestamp, now, []))

export const times: Catalogue = {
  TIME_FLOOR: toPeriod(floorTime),
  TIME_CEIL: toPeriod(ceilTime),
  FLOOR: toUnit(floorTime, floorNumber),
  CEIL: toUnit(ceilTime, ceilNumber),
  CEILING: toUnit(ceilTime, ceilNumber),
  DATE_TRUNC: dateTrunc,
  TIME_SHIFT: timeShift,
  TIMESTAMPADD: timestampAdd,
  TIMESTAMPDIFF: timestampDiff,
  EXTRACT: extract,
  TIME_EXTRACT: timeExtract,
  YEAR: partFunction('YEAR'),
  QUARTER: partFunction('QUARTER'),
  MONTH: partFunction('MONTH'),
  WEEK: partFunction('WEEK'),
  DAYOFMONTH: partFunction('DAY'),
  DAYOFYEAR: partFunction('DOY'),
  DAYOFWEEK: partFunction('DOW'),
  HOUR: partFunction('HOUR'),
  MINUTE: partFunction('MINUTE'),
  SECOND: partFunction('SECOND'),
  TIME_PARSE: timeParse,
  TIME_FORMAT: timeFormat,
  TIME_IN_INTERVAL: timeInInterval,
  MILLIS_TO_TIMESTAMP: special(1, 1, ({ place, operands: [ms] }) =>
    called(place, timestamp, timeOfMilliseconds, [as(ms!, long)]),
  ),
  TIMESTAMP_TO_MILLIS: special(1, 1, (call) => called(call.place, long, milliseconds, [timestampOf(call)])),
  CURRENT_TIMESTAMP: currentTime,
  LOCALTIMESTAMP: currentTime,
  CURRENT_DATE: special(0, 0, ({ place }) => called(place, date, today, [])),
}

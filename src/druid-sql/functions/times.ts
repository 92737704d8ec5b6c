import { type Period, parsePeriod, periodDays, periodMonths, periodTimeMs } from '../../druid-time/iso.ts'
import { timeParts } from '../../druid-time/time-parts.ts'
import { Zone } from '../../druid-time/zone.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { msPerDay } from '../../model/instant.ts'
import { type Bound, combine } from '../bind/bound.ts'
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
import { boolean, date, long, string, timestamp, typeName } from '../bind/types.ts'
import { parseUnit } from '../parse/parse-unit.ts'
import { quoted, sqlProblem } from '../parse/sql-problem.ts'
import { ceilNumber, floorNumber } from './numbers.ts'
import { type BoundCall, type Catalogue, constantText, neededText, scalar, special } from './signature.ts'
import { withoutRepeats } from './text-room.ts'

function zoneOf(call: BoundCall, index: number): Zone {
  const text = constantText(call, index)
  return text === null ? call.zone : readZone(text, call.operands[index]!.place)
}

function instant(call: BoundCall, index = 0): Bound {
  return as(call.operands[index]!, timestamp)
}

/** Functions of Druid's own take timestamps, and nothing that could be read as one. */
function timestampOf(call: BoundCall, index = 0): Bound {
  const operand = call.operands[index]!
  if (operand.type.kind === 'timestamp' || operand.type.kind === 'null') return as(operand, timestamp)
  const name = typeName(operand.type)
  throw sqlProblem(operand.place, `${call.name} takes a TIMESTAMP, not a value of type ${name}: CAST it`)
}

type Rounding = typeof floorTo

const toPeriod = (rounding: Rounding) =>
  special(2, 4, (call) => {
    const at = timestampOf(call)
    const period = readPeriod(neededText(call, 1), call.operands[1]!.place)
    const given = call.operands[2]
    const origin = given === undefined || given.type.kind === 'null' ? null : as(given, timestamp)
    const rounded = rounding(at.sql, period, zoneOf(call, 3), origin?.sql ?? null, call.operands[1]!.place)
    return combine(call.place, timestamp, rounded, origin === null ? [at] : [at, origin])
  })

/** `FLOOR(x TO HOUR)`, and FLOOR of a number. */
const toUnit = (rounding: Rounding, ofNumber: typeof floorNumber) =>
  special(1, 1, (call) => {
    if (call.unit === null) return ofNumber.bind(call)
    const at = instant(call)
    const period = unitPeriod(parseUnit(call.unit, call.unitPlace!))
    return combine(call.place, timestamp, rounding(at.sql, period, call.zone, null, call.place), [at])
  })

/** What DATE_TRUNC takes, no plurals but two. Long ones count from 1970. */
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
      `DATE_TRUNC takes no ${quoted(unit)}: ${[...truncatedUnits.keys()].join(', ')} are what it takes`,
    )
  return combine(call.place, timestamp, floorTo(at.sql, period, call.zone, null, call.place), [at])
})

const timeShift = special(3, 4, (call) => {
  const at = timestampOf(call)
  const count = as(call.operands[2]!, long)
  const period = readPeriod(neededText(call, 1), call.operands[1]!.place)
  return combine(call.place, timestamp, shiftTimestamp(at.sql, period, zoneOf(call, 3), count.sql), [at, count])
})

const timestampAdd = special(2, 2, (call) => {
  const count = as(call.operands[0]!, long)
  const at = instant(call, 1)
  const period = unitPeriod(parseUnit(call.unit!, call.unitPlace!))
  const zone = periodMonths(period) === 0 ? Zone.utc : call.zone
  return combine(call.place, timestamp, shiftTimestamp(at.sql, period, zone, count.sql), [count, at])
})

/** Whole units between two instants, negative where the first is the later. */
const timestampDiff = special(2, 2, (call) => {
  const [from, to] = [instant(call, 0), instant(call, 1)]
  const unit = parseUnit(call.unit!, call.unitPlace!)
  const period = unitPeriod(unit)
  const fixedMs = periodTimeMs(period) + periodDays(period) * msPerDay
  const local = (at: Sql): Sql => timestampToLocal(at, call.zone)
  const whole =
    fixedMs > 0
      ? sql`((epoch_ms(${to.sql}) - epoch_ms(${from.sql})) // ${sql.long(fixedMs)})`
      : sql`date_sub(${sql.literal(unit.toLowerCase())}, ${local(from.sql)}, ${local(to.sql)})`
  return combine(call.place, long, whole, [from, to])
})

type Part = (local: Sql, at: Sql) => Sql
const datePart =
  (name: string): Part =>
  (local) =>
    sql`CAST(date_part(${sql.literal(name)}, ${local}) AS BIGINT)`

/** The parts that SQL works out in its own way. */
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

function extracted(call: BoundCall, at: Bound, unit: string, unitPlace: Bound['place'], zone: Zone): Bound {
  const part = parts.get(unit.toUpperCase())
  if (part === undefined)
    throw sqlProblem(unitPlace, `${quoted(unit)} is no part of a time: ${[...parts.keys()].join(', ')} are`)
  return combine(call.place, long, part(timestampToLocal(at.sql, zone), at.sql), [at])
}

const extract = special(1, 1, (call) => extracted(call, instant(call), call.unit!, call.unitPlace!, call.zone))
const timeExtract = special(2, 3, (call) =>
  extracted(call, timestampOf(call), neededText(call, 1), call.operands[1]!.place, zoneOf(call, 2)),
)
/** `YEAR(x)` and the like. */
const partFunction = (unit: string) =>
  special(1, 1, (call) => extracted(call, instant(call), unit, call.place, call.zone))

const timeParse = special(1, 3, (call) => {
  const text = as(call.operands[0]!, string)
  const pattern = constantText(call, 1)
  const zone = zoneOf(call, 2)
  const read =
    pattern === null ? textToTimestamp(text.sql, zone) : parseTime(text.sql, pattern, zone, call.operands[1]!.place)
  return combine(call.place, timestamp, read, [text])
})

const timeFormat = special(1, 3, (call) => {
  const at = timestampOf(call)
  const pattern = constantText(call, 1) ?? "yyyy-MM-dd'T'HH:mm:ss.SSSZZ"
  const written = formatByPattern(at.sql, pattern, zoneOf(call, 2), call.operands[1]?.place ?? call.place)
  return combine(call.place, string, written, [at])
})

const timeInInterval = special(2, 2, (call) => {
  const at = timestampOf(call)
  const [start, end] = readInterval(neededText(call, 1), call.zone, call.operands[1]!.place)
  const inside = withoutRepeats(
    [at.sql],
    (x) => sql`(${x} >= ${timestampLiteral(start)} AND ${x} < ${timestampLiteral(end)})`,
  )
  return combine(call.place, boolean, inside, [at])
})

const utcNow = sql`make_timestamp(epoch_us(now()))`
const now = scalar([], timestamp, () => sql`date_trunc('millisecond', ${utcNow})`)

export const times: Catalogue = {
  TIME_FLOOR: toPeriod(floorTo),
  TIME_CEIL: toPeriod(ceilTo),
  FLOOR: toUnit(floorTo, floorNumber),
  CEIL: toUnit(ceilTo, ceilNumber),
  CEILING: toUnit(ceilTo, ceilNumber),
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
  MILLIS_TO_TIMESTAMP: scalar([long], timestamp, timeOfMs),
  TIMESTAMP_TO_MILLIS: special(1, 1, (call) => {
    const at = timestampOf(call)
    return combine(call.place, long, sql`epoch_ms(${at.sql})`, [at])
  }),
  CURRENT_TIMESTAMP: now,
  LOCALTIMESTAMP: now,
  CURRENT_DATE: special(0, 0, ({ place, zone }) => {
    const today = sql`CAST(${timestampToLocal(utcNow, zone)} AS DATE)`
    return combine(place, date, today, [])
  }),
}

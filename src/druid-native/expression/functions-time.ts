import { floorToBucket, nextBucketSql, shift, toLocal, wideRange } from '../../druid-time/bucket-sql.ts'
import { formatTime, parseTimeBy, parseTimePattern, patternPieces } from '../../druid-time/format-sql.ts'
import { type Period, parseInstantText, parsePeriod } from '../../druid-time/iso.ts'
import { isUsable, type NativeBuckets, periodGranularity } from '../../druid-time/native-granularity.ts'
import { parseIsoTime } from '../../druid-time/parse-sql.ts'
import { timeParts } from '../../druid-time/time-parts.ts'
import { Zone } from '../../druid-time/zone.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { doubleValue, longValue, type Typed, textValue, toLong, toText } from '../values/typed.ts'
import { type Call, type FunctionTable, literalText } from './call.ts'

function zoneOf(call: Call, index: number): Zone {
  const name = call.literal(index)
  if (name === undefined) return call.refuse('the time zone must be a constant string')
  if (name === null || name === '') return Zone.utc
  return Zone.find(String(name)) ?? call.refuse(`there is no time zone "${name}"`)
}

function periodOf(call: Call, index: number): Period {
  const text = literalText(call, index, 'period')
  return parsePeriod(text) ?? call.refuse(`"${text}" is not an ISO 8601 period`)
}

/** Converts to a time: numbers are milliseconds, texts are parsed as ISO 8601. */
const timeOf = (value: Typed): Sql => (value.type === 'STRING' ? parseIsoTime(value.sql, Zone.utc) : toLong(value))

function originOf(args: readonly Typed[], call: Call): number | null {
  const value = args.length > 2 ? call.literal(2) : null
  if (value === null || value === '') return null
  if (value !== undefined)
    return typeof value === 'string'
      ? (parseInstantText(value) ?? call.refuse(`"${value}" is not a time`))
      : Number(value)
  const folded = call.constantMs(2)
  return folded ?? call.refuse('the origin must be a constant')
}

function granularityOf(args: readonly Typed[], call: Call): NativeBuckets {
  const found = periodGranularity(periodOf(call, 1), zoneOf(call, 3), originOf(args, call))
  if (found === null) return call.refuse('the period must be longer than 0')
  return isUsable(found) ? found : call.refuse('the period or its origin is outside the supported times')
}

function floored(ms: Sql, granularity: NativeBuckets, call: Call): Sql {
  const range = call.isTime(0) ? call.range : wideRange
  return floorToBucket(ms, granularity, range) ?? call.unsupported('a period of several units with this many buckets')
}

function ceiling(args: readonly Typed[], call: Call): Typed {
  const granularity = granularityOf(args, call)
  return longValue(
    bind(timeOf(args[0]!), (x) =>
      bind(
        floored(x, granularity, call),
        (start) => sql`CASE WHEN ${start} = ${x} THEN ${x} ELSE ${nextBucketSql(start, granularity)} END`,
      ),
    ),
  )
}

/** Parts that need SQL of their own. Centuries and millennia are doubles and handled separately. */
const ownParts: ReadonlyMap<string, (local: Sql, ms: Sql) => Sql> = new Map<string, (local: Sql, ms: Sql) => Sql>([
  ['EPOCH', (_, ms) => sql`(${ms} // 1000)`],
  ['MILLISECOND', (local) => sql`(millisecond(${local}) % 1000)`],
  ['DECADE', (local) => sql`(year(${local}) // 10)`],
])

function extract(args: readonly Typed[], call: Call): Typed {
  const unit = literalText(call, 1, 'unit').toUpperCase()
  const zone = zoneOf(call, 2)
  const local = (ms: Sql): Sql => sql`make_timestamp_ms(${toLocal(ms, zone)})`
  const ms = timeOf(args[0]!)
  if (unit === 'CENTURY' || unit === 'MILLENNIUM') {
    return doubleValue(sql`ceil(year(${local(ms)}) / ${sql.double(unit === 'CENTURY' ? 100 : 1000)})`)
  }
  const name = timeParts.get(unit)
  if (name === undefined) return call.refuse(`there is no unit "${unit}"`)
  const part = (time: Sql, at: Sql): Sql =>
    name === null ? ownParts.get(unit)!(time, at) : sql`date_part(${sql.literal(name)}, ${time})`
  return longValue(bind(ms, (x) => sql`CAST(${part(local(x), x)} AS BIGINT)`))
}

function formatted(args: readonly Typed[], call: Call): Typed {
  const pattern = args.length > 1 ? call.literal(1) : null
  if (pattern === undefined) return call.refuse('the pattern must be a constant string')
  const pieces = pattern === null ? null : patternPieces(String(pattern))
  if (pattern !== null && pieces === null) return call.refuse(`"${pattern}" is not a valid pattern`)
  return textValue(formatTime(timeOf(args[0]!), pieces, zoneOf(call, 2)))
}

function parsed(args: readonly Typed[], call: Call): Typed {
  const zone = zoneOf(call, 2)
  const pattern = args.length > 1 ? call.literal(1) : null
  if (pattern === undefined) return call.refuse('the pattern must be a constant string')
  const text = toText(args[0]!)
  if (pattern === null) return longValue(parseIsoTime(text, zone))
  const format = parseTimePattern(String(pattern))
  if (format === null) return call.unsupported(`the pattern "${pattern}"`)
  return longValue(parseTimeBy(text, format, zone))
}

/** `timestamp(text[, pattern])` in milliseconds; a number is returned unchanged. */
function timestamp(args: readonly Typed[], call: Call): Sql {
  if (args.length > 1) return parsed(args, call).sql
  return timeOf(args[0]!)
}

export const timeFunctions = {
  timestamp: { args: [1, 2], compile: (args, call) => longValue(timestamp(args, call)) },
  unix_timestamp: { args: [1, 2], compile: (args, call) => longValue(sql`(${timestamp(args, call)} // 1000)`) },
  timestamp_floor: {
    args: [2, 4],
    compile: (args, call) => longValue(floored(timeOf(args[0]!), granularityOf(args, call), call)),
  },
  timestamp_ceil: { args: [2, 4], compile: ceiling },
  timestamp_shift: {
    args: [3, 4],
    compile: ([time, , step], call) =>
      longValue(shift(timeOf(time!), periodOf(call, 1), toLong(step!), zoneOf(call, 3))),
  },
  timestamp_extract: { args: [2, 3], compile: extract },
  timestamp_format: { args: [1, 3], compile: formatted },
  timestamp_parse: { args: [1, 3], compile: parsed },
} as const satisfies FunctionTable

// SQL functions for time zones. The engine has its own time zone database, but all offsets of a service must come from one source. Each function
// has a string parameter, which is the same for all rows, and instants in milliseconds as doubles, which cost less here than 64-bit integers.
// A result out of the range of times is null.
import {
  DOUBLE,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBScalarFunction,
  type DuckDBVector,
  VARCHAR,
} from '@duckdb/node-api'
import { type NativeBuckets, nativeBucketStart, nextBucket } from '../../druid-time/native-granularity.ts'
import { zonedGranularity } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'

type Work = (ms: number, nearMs: number) => number

export function registerZoneFunctions(connection: DuckDBConnection): void {
  const functions = [
    zoneFunction('zone_offset', 1, (name) => {
      const zone = zoneOf(name)
      return (ms) => zone.offset(ms)
    }),
    zoneFunction('zone_instant', 2, (name) => {
      const zone = zoneOf(name)
      return (localMs, nearMs) => zone.toInstant(localMs, nearMs)
    }),
    zoneFunction('zone_start', 2, (name) => {
      const zone = zoneOf(name)
      return (localMs, ms) => zone.toStart(localMs, ms)
    }),
    zoneFunction('bucket_start', 1, (text) => {
      const granularity = granularityOf(text)
      return (ms) => nativeBucketStart(granularity, ms)
    }),
    zoneFunction('bucket_next', 1, (text) => {
      const granularity = granularityOf(text)
      return (ms) => nextBucket(granularity, ms)
    }),
  ]
  for (const one of functions) connection.registerScalarFunction(one)
}

function zoneOf(name: string): Zone {
  const zone = Zone.find(name)
  if (zone === null) throw new Error(`no zone is named ${name}`)
  return zone
}

function granularityOf(text: string): NativeBuckets {
  const { zone, ...buckets } = JSON.parse(text)
  return zonedGranularity({ kind: 'zoned', zone, buckets })
}

/** The last string parameter of one place in a statement, on one of the engine's threads, with its function. */
interface Asked {
  text: string | null
  work: Work
}

function zoneFunction(name: string, instants: 1 | 2, workOf: (text: string) => Work): DuckDBScalarFunction {
  return DuckDBScalarFunction.create({
    name,
    returnType: DOUBLE,
    parameterTypes: [VARCHAR, ...Array.from({ length: instants }, () => DOUBLE)],
    initFunction: (info) => info.setState({ text: null, work: () => Number.NaN } satisfies Asked),
    mainFunction: (info, input, output) => {
      const asked = info.state as Asked
      const text = String(input.getColumnVector(0).getItem(0))
      if (text !== asked.text) Object.assign(asked, { text, work: workOf(text) })
      const [times, nears] = timesIn(input, instants)
      const { rowCount } = input
      for (let row = 0; row < rowCount; row++) {
        const ms = times.getItem(row)
        const nearMs = nears.getItem(row)
        const found = ms === null || nearMs === null ? null : asked.work(Number(ms), Number(nearMs))
        output.setItem(row, found !== null && isTime(found) ? found : null)
      }
      output.flush()
    },
  })
}

/** A function with one instant ignores the second one. */
function timesIn(input: DuckDBDataChunk, instants: 1 | 2): readonly [DuckDBVector, DuckDBVector] {
  const times = input.getColumnVector(1)
  return [times, instants === 2 ? input.getColumnVector(2) : times]
}

/** The last instant of a Date. */
const latestMs = 8.64e15

const isTime = (ms: number): boolean => Math.abs(ms) <= latestMs

// Druid's time zones are those of its JVM, which the service cannot change. The log reports if they differ from the service's.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DruidSqlClient } from '../../druid-client/druid-sql-client.ts'
import { zoneOffsets } from '../../druid-sql/rewrite/zone-offsets.ts'
import { formatOffset } from '../../druid-time/zone.ts'
import { timeZonesOf } from '../../druid-time/zone-folder.ts'
import { offsetsOfZone, zoneFilesInForce } from '../../druid-time/zone-rules.ts'
import { type ColumnType, valueAt } from '../../model/column.ts'
import type { Observe } from '../../observe/event.ts'

/** Druid may become available later than the service. */
const tries = 20
const retryMs = 30_000
/** The most zones that the event names. */
const namedMax = 20

export interface ZoneCheckParts {
  readonly engine: Pick<DruidSqlClient, 'run'>
  readonly observe: Observe
  readonly nowMs: () => number
}

/** Checks once, as soon as Druid responds. The check is skipped if Druid does not respond within all tries. */
export async function checkTimeZones({ engine, observe, nowMs }: ZoneCheckParts, signal: AbortSignal): Promise<void> {
  for (let left = tries; left > 0 && !signal.aborted; left--) {
    try {
      const zones = await zonesThatDiffer(engine, nowMs(), signal)
      if (zones.length > 0) {
        const { version } = timeZonesOf(zoneFilesInForce())
        observe({ kind: 'timeZonesDiffer', zones: zones.slice(0, namedMax), differing: zones.length, version })
      }
      return
    } catch {
      await sleep(retryMs, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** The zones whose offsets differ in Druid, from one query about some days of three years. */
async function zonesThatDiffer(
  engine: ZoneCheckParts['engine'],
  nowMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names = Intl.supportedValuesOf('timeZone')
  const instants = daysFrom(new Date(nowMs).getUTCFullYear())
  const types: readonly ColumnType[] = ['long', ...names.map(() => 'string' as const)]
  const offsets = names.map(offsetsOfZone)
  const differing = new Set<string>()
  const batches = engine.run(
    { statement: zoneOffsets(names, instants), types },
    { resultRows: instants.length },
    signal,
  )
  for await (const { rows, columns } of batches) {
    for (let row = 0; row < rows; row++) {
      const ms = Number(valueAt(columns[0]!, row))
      for (const [index, name] of names.entries()) {
        if (valueAt(columns[index + 1]!, row) !== formatOffset(offsets[index]!(ms))) differing.add(name)
      }
    }
  }
  return [...differing]
}

/** In winter, in summer, and soon after the clocks change in autumn. */
function daysFrom(year: number): readonly number[] {
  return [0, 1, 2].flatMap((years) => [0, 6, 10].map((month) => Date.UTC(year + years, month, 20)))
}

// Queries in a process of a cluster: Druid does the work, and long answers are spooled to a folder of the process.

import { join } from 'node:path'
import { Admission } from '../../admission/admission.ts'
import type { ItemCatalog } from '../../catalog/catalog.ts'
import type { Definitions } from '../../catalog/definitions.ts'
import type { Settings } from '../../config/settings.ts'
import type { DruidClient } from '../../druid-client/druid-client.ts'
import { DruidSqlClient } from '../../druid-client/druid-sql-client.ts'
import { nativeLanguage } from '../../druid-native/native-language.ts'
import { NativeOnDruid } from '../../druid-native/native-on-druid.ts'
import { oneAtATime } from '../../druid-sql/items/read-items.ts'
import { SqlLanguage } from '../../druid-sql/sql-language.ts'
import { SqlOnDruid } from '../../druid-sql/sql-on-druid.ts'
import { openOwnFolder } from '../../lib/own-folder.ts'
import type { Observe } from '../../observe/event.ts'
import { PlansOnDruid } from '../../query/plans-on-druid.ts'
import { segmentSizes } from '../../store/druid/segment-sizes.ts'
import type { GroupsQuerier, SeriesQuerier } from '../../store/series-store.ts'
import type { ServiceParts } from '../build-services.ts'
import { openSqlEngine } from '../open-sql-engine.ts'
import type { Closer } from '../open-storage.ts'
import { checkTimeZones } from './zone-differences.ts'

interface QueryParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly nowMs: () => number
  /** The compiled `entry.js` of the process that runs queries of INFORMATION_SCHEMA or metadata alone. */
  readonly sqlEntryUrl: URL
  readonly druid: DruidClient
  readonly store: SeriesQuerier & Pick<GroupsQuerier, 'aggregate'>
  readonly definitions: Definitions
  readonly items: ItemCatalog
}

type OpenedQueries = Pick<
  ServiceParts,
  'runner' | 'admission' | 'storedSizes' | 'sqlLanguage' | 'nativeLanguage' | 'written'
>

/** The longest that writing an answer may block the event loop. */
const sliceMs = 5

export async function openQueries(parts: QueryParts, closers: Closer[]): Promise<OpenedQueries> {
  const { settings, nowMs, druid, store, definitions } = parts
  const { limits, spool } = settings
  const clusterName = settings.cluster.name
  const ownFolder = await openOwnFolder(settings.data, closers)
  const spoolDirectory = join(ownFolder, 'spool')
  const runner = await PlansOnDruid.open({ reader: store, spool, spoolDirectory, sliceMs })
  const { unsent } = runner
  const admission = new Admission(limits)
  const engine = new DruidSqlClient({
    client: druid,
    settings: { clusterName, queryTimeMs: limits.queryTimeMs },
    nowMs,
  })
  const stop = new AbortController()
  closers.push(() => stop.abort())
  void checkTimeZones({ engine, observe: parts.observe, nowMs }, stop.signal)
  const scratchDirectory = join(ownFolder, 'engine')
  const metadata = { items: oneAtATime(parts.items), limits: settings.sql }
  const written = { unsent, settings: { sliceMs, spoolDirectory } }
  const onDruid = { engine, clusterName, limits, ...written }
  const sqlEngine = openSqlEngine({ ...parts, unsent, directories: [], scratchDirectory }, closers)
  const rows = { druid: new SqlOnDruid({ ...onDruid, store, nowMs, metadata }) }
  return {
    runner,
    admission,
    storedSizes: async (entityIds, signal) => {
      // All callers share the slots of one reader, which limits the concurrent requests to Druid.
      const leave = await admission.enter('data', 'storage', signal)
      return segmentSizes(druid, clusterName, entityIds).finally(leave)
    },
    sqlLanguage: new SqlLanguage({ definitions, metadata, rows, sqlEngine, limits, nowMs }),
    nativeLanguage: nativeLanguage(definitions, new NativeOnDruid(onDruid)),
    written,
  }
}

// How a process of a cluster answers queries: Druid does the work, answers that are long wait in a folder of the process.
import { join } from 'node:path'
import type { StorageListParts } from '../../admin/storage.ts'
import { Admission } from '../../admission/admission.ts'
import type { ItemCatalog } from '../../catalog/catalog.ts'
import type { Definitions } from '../../catalog/definitions.ts'
import type { Settings } from '../../config/settings.ts'
import type { DruidClient } from '../../druid-client/druid-client.ts'
import { DruidSqlClient } from '../../druid-client/druid-sql-client.ts'
import { ClusterNativeQueries } from '../../druid-native/cluster-native-queries.ts'
import { ClusterSqlQueries } from '../../druid-sql/cluster-sql-queries.ts'
import { oneAtATime } from '../../druid-sql/items/one-at-a-time.ts'
import { SqlQueries } from '../../druid-sql/sql-queries.ts'
import { openOwnFolder } from '../../lib/own-folder.ts'
import type { Observe } from '../../observe/event.ts'
import { ClusterPlanRunner } from '../../query/cluster-plan-runner.ts'
import { segmentSizes } from '../../store/druid/segment-sizes.ts'
import type { SeriesQuerier } from '../../store/series-store.ts'
import { openSqlEngine } from '../open-sql-engine.ts'
import type { Closer } from '../open-storage.ts'
import { checkTimeZones } from './zone-differences.ts'

interface QueryParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly nowMs: () => number
  /** The compiled `entry.js` of the process that answers what reads INFORMATION_SCHEMA or metadata alone. */
  readonly sqlEntryUrl: URL
  readonly druid: DruidClient
  readonly store: SeriesQuerier
  readonly definitions: Definitions
  readonly items: ItemCatalog
}

interface OpenedQueries {
  readonly runner: ClusterPlanRunner
  /** The places that all queries share. */
  readonly admission: Admission
  /** As `StorageListParts.sizes`. */
  readonly storedSizes: StorageListParts['sizes']
  readonly sqlQueries: ClusterSqlQueries
  readonly nativeQueries: ClusterNativeQueries
}

/** How long the writing of an answer may hold the event loop. */
const sliceMs = 5

export async function openQueries(parts: QueryParts, closers: Closer[]): Promise<OpenedQueries> {
  const { settings, nowMs, druid, store, definitions } = parts
  const { limits, spool } = settings
  const clusterName = settings.cluster.name
  const ownFolder = await openOwnFolder(settings.data, closers)
  const spoolDirectory = join(ownFolder, 'spool')
  const runner = await ClusterPlanRunner.open({ reader: store, spool, spoolDirectory, sliceMs })
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
  const catalogQueries = new SqlQueries({
    definitions,
    metadata,
    // It reads INFORMATION_SCHEMA and items alone, and no files.
    damaged: () => undefined,
    snapshots: { snapshot: () => Promise.reject(new Error('the rows of entities are in Druid')) },
    runner: openSqlEngine({ ...parts, unsent, directories: [], scratchDirectory }, closers),
    planRunner: null,
    nowMs,
    admission,
    limits,
  })
  const shared = { definitions, engine, clusterName, admission, limits, unsent, settings: { sliceMs, spoolDirectory } }
  return {
    runner,
    admission,
    storedSizes: async (entityIds, signal) => {
      // All who ask for it share the places of one reader: Druid is not asked by more at once.
      const leave = await admission.enter('data', 'storage', signal)
      return segmentSizes(druid, clusterName, entityIds).finally(leave)
    },
    sqlQueries: new ClusterSqlQueries({ ...shared, metadata, catalogQueries }),
    nativeQueries: new ClusterNativeQueries(shared),
  }
}

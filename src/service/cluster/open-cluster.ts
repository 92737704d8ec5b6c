// The cluster engine: pushes go to Kafka, series are in Druid, everything else is in PostgreSQL. This process stores nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import { Access } from '../../access/access.ts'
import type { Audit } from '../../admin/audit.ts'
import { Retentions } from '../../admin/retentions.ts'
import type { ClusterCatalog } from '../../catalog/cluster-catalog.ts'
import { Definitions } from '../../catalog/definitions.ts'
import type { RowPlace } from '../../catalog/partitions.ts'
import { openPostgresCatalog } from '../../catalog/postgres/postgres-catalog.ts'
import type { Settings } from '../../config/settings.ts'
import { DruidClient } from '../../druid-client/druid-client.ts'
import type { ObservedConditions } from '../../hooks/observed-conditions.ts'
import { PartsHealth, type PartsHealthOptions } from '../../http/parts-health.ts'
import { SharedKeys } from '../../ingest/idempotency/shared-keys.ts'
import { KafkaJournal } from '../../journal/kafka/kafka-journal.ts'
import { KafkaClient } from '../../kafka/kafka-client.ts'
import { RowsTopics } from '../../kafka/rows-topics.ts'
import { repeat } from '../../lib/repeat.ts'
import { ClusterIds, type ClusterIdsParts } from '../../live/cluster/cluster-ids.ts'
import { ClusterRows } from '../../live/cluster/cluster-rows.ts'
import { Live } from '../../live/live.ts'
import { Problem } from '../../model/problem.ts'
import { checkFailed } from '../../observe/check-failed.ts'
import type { Observe } from '../../observe/event.ts'
import type { FailingWork } from '../../observe/failing-work.ts'
import type { Metrics } from '../../observe/metrics.ts'
import {
  batchIsQueryable,
  replayIsQueryable,
  rowIsSeen,
  rowsAreQueryable,
  unseenRows,
} from '../../partitions/batch-visibility.ts'
import { PartitionProgress } from '../../partitions/partition-progress.ts'
import { DruidStore } from '../../store/druid/druid-store.ts'
import { Supervisors } from '../../store/druid/supervision/supervisors.ts'
import { DruidDeletions } from '../../store/druid/upkeep/druid-deletions.ts'
import { SlotWaits } from '../../store/druid/upkeep/known-slot-waits.ts'
import { purgeBefore } from '../../store/druid/upkeep/purge-before.ts'
import { buildServices, type Opened } from '../build-services.ts'
import { openAudit } from '../open-audit.ts'
import { openHooks } from '../open-hooks.ts'
import type { Closer } from '../open-storage.ts'
import { readinessWarnings } from '../readiness-warnings.ts'
import {
  druidClientSettings,
  journalTopic,
  kafkaAccess,
  rowsTopicSettings,
  supervisionSettings,
} from './cluster-connections.ts'
import { openLimits } from './open-limits.ts'
import { openPipeline } from './open-pipeline.ts'
import { openQueries } from './open-queries.ts'

export interface ClusterParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly metrics: Metrics
  readonly failing: FailingWork
  readonly observed: ObservedConditions
  readonly nowMs: () => number
  /** The compiled `entry.js` of the process that runs queries of INFORMATION_SCHEMA. */
  readonly sqlEntryUrl: URL
}

/** An available Kafka responds within this time, even if the topics must be created first. An unavailable one is waited for no longer than this. */
const kafkaFirstMs = 5000
const countEveryMs = 250
const retryMs = 1000
const sliceMs = 5
/** Druid's tasks check every minute whether their published segments are served, and its coordinator checks every minute for deletions. */
const purgeMs = 180_000
/** The shortest time for which changes are kept. */
const changesKeptMsMin = 3_600_000

/**
 * Waits for PostgreSQL, without which no caller is known, and a moment for Kafka. Kafka and Druid may become available later. `closers` receives a function
 * that closes each part. Throws an Error that says what to do when the settings or the rights are wrong.
 */
export async function openCluster(parts: ClusterParts, closers: Closer[]): Promise<Opened> {
  const { settings, observe, metrics, nowMs } = parts
  const known = await openKnown(parts, closers)
  const { catalog, audit, definitions, access, newAdminKey } = known
  const rows = await openRows(parts, known, closers)
  const { druid, supervisors, kafka, journal, store, progress, keys } = rows
  const queryParts = { ...parts, druid, store, definitions, items: catalog.items }
  const queries = await openQueries(queryParts, closers)
  const waits = openWaits(parts, catalog, closers)
  const waiting = () => ({ waiting: [...waits.names(definitions.entities())], waiting_entities: waits.count })
  const health = watchParts({ journal, supervisors, catalog, observe, waiting })
  closers.push(() => health.close())
  const live = openLive(parts, known, rows, closers)
  const limits = await openLimits(
    { ...parts, catalog, progress, keys, kafka, waits, liveIds: live.ids, admission: queries.admission },
    closers,
  )
  const services = await buildServices(
    {
      settings,
      catalog,
      audit,
      readItems: catalog.items,
      journal,
      keys,
      progress,
      ...visibilityOf(parts, catalog, rows),
      ...queries,
      definitions,
      access,
      retentions: openRetentions({ ...parts, catalog, definitions, supervisors, store }, closers),
      deletions: deletionsOf(parts, known, rows, live.rows),
      limits,
      // The pipelines learn of it from the catalog.
      dropped: () => undefined,
      waitingSinceMs: (entityId) => waits.sinceMs(entityId),
      nowMs,
      reach: () => undefined,
    },
    {
      cancelsElsewhere: catalog.cancelsElsewhere,
      live: live.live,
      backups: { make: async () => Promise.reject(noBackups()) },
      metrics,
      readiness: () => ({ ...health.readiness, ...readinessWarnings(limits, parts.failing) }),
      observe,
    },
  )
  openHooks({ ...parts, catalog, definitions, progress, queries: services.queries }, closers)
  if (settings.role !== 'api') openPipeline({ ...parts, catalog, ...rows }, closers)
  return { services, newAdminKey, started: async () => undefined }
}

interface Known {
  readonly catalog: ClusterCatalog
  readonly audit: Audit
  readonly definitions: Definitions
  readonly access: Access
  readonly newAdminKey: string | null
}

/** The parts based on PostgreSQL: definitions, and access rights. */
async function openKnown({ settings, observe, nowMs }: ClusterParts, closers: Closer[]): Promise<Known> {
  const catalog = await openCatalog(settings, observe)
  closers.push(() => catalog.close())
  const { audit, newAdminKey } = await openAudit({ settings, observe, nowMs }, catalog, closers)
  const definitions = await Definitions.open(catalog.ingests, catalog.deletions)
  const access = await Access.open(catalog.access, nowMs)
  closers.push(() => definitions.close())
  closers.push(() => access.close())
  followChanges(catalog, { definitions, access }, observe)
  return { catalog, audit, definitions, access, newAdminKey }
}

interface Rows {
  readonly druid: DruidClient
  readonly supervisors: Supervisors
  readonly kafka: KafkaClient
  readonly journal: KafkaJournal
  readonly store: DruidStore
  readonly progress: PartitionProgress
  readonly keys: SharedKeys
  readonly isSeen: (entityId: number, row: RowPlace) => Promise<boolean>
}

/** The path of the rows, from the journal in Kafka to Druid. */
async function openRows(parts: ClusterParts, { catalog, definitions }: Known, closers: Closer[]): Promise<Rows> {
  const { settings, nowMs } = parts
  const { cluster, limits } = settings
  const druid = new DruidClient(druidClientSettings(settings))
  closers.push(() => druid.close())
  const supervisors = new Supervisors({ client: druid, settings: supervisionSettings(settings), nowMs })
  const kafka = new KafkaClient(kafkaAccess(settings, `${cluster.name}-api`))
  const journal = await openJournal({ ...parts, kafka }, closers)
  const { changes, partitions, rejected, pushKeys } = catalog
  const store = new DruidStore({
    client: druid,
    settings: {
      clusterName: cluster.name,
      queryTimeMs: limits.queryTimeMs,
      sliceMs,
      readRows: limits.readRows,
    },
    entity: (id) => definitions.entities().find((entity) => entity.id === id),
    nowMs,
  })
  const isSeen = (entityId: number, row: RowPlace): Promise<boolean> => rowIsSeen({ store, definitions }, entityId, row)
  const progress = new PartitionProgress({ changes, partitions, rejected, isSeen, countEveryMs })
  closers.push(() => progress.close())
  const { idempotencyKeys: keysMax, ingestWaitMs: waitMs } = limits
  const keys = new SharedKeys({ keys: pushKeys, progress, nowMs, keysMax, waitMs })
  return { druid, supervisors, kafka, journal, store, progress, keys, isSeen }
}

/** Rows as they become queryable. Each process sends them to its own readers. */
function openLive(
  { settings, observe, nowMs }: ClusterParts,
  { catalog, definitions }: Known,
  { kafka, store, isSeen }: Rows,
  closers: Closer[],
): { readonly live: Live<string>; readonly ids: ClusterIds; readonly rows: ClusterRows } {
  const { limits, cluster } = settings
  const { deletions } = catalog
  // A separate client, so that the journal's requests never wait for these.
  const client = kafka.sibling()
  const rows = new ClusterRows({
    client,
    clusterName: cluster.name,
    rowsTopics: new RowsTopics(client, rowsTopicSettings(settings)),
    definitions,
    deletions,
    store,
    changes: catalog.changes,
    isSeen,
    changesKeptMs: changesKeptMs(settings),
    observe,
    nowMs: () => performance.now(),
    waitMs: limits.ingestWaitMs,
  })
  closers.push(() => rows.close())
  const held: ClusterIdsParts['held'] = (entityId) => rows.held(entityId)
  const ids = new ClusterIds({
    secrets: catalog.secrets,
    held,
    deletions,
    changesKeptMs: changesKeptMs(settings),
    nowMs,
  })
  return { live: new Live({ definitions, rows, positions: ids, nowMs, limits }), ids, rows }
}

/** Live readers can receive a deletion for as long as they can resume from before it. */
function changesKeptMs({ kafka, limits }: Settings): number {
  return Math.max(kafka.journalRetentionMs, limits.liveKeepMs, changesKeptMsMin)
}

/** Whether rows that were pushed can be queried. */
function visibilityOf({ settings }: ClusterParts, { partitions, rejected }: ClusterCatalog, { progress, store }: Rows) {
  const waitMs = settings.limits.ingestWaitMs
  return {
    isQueryable: (batch, signal) => batchIsQueryable({ progress, rejected, store }, batch, signal),
    unseen: (batch, stored) => unseenRows({ partitions, store }, batch, stored),
    replayIsQueryable: (rows, signal) => replayIsQueryable({ progress, store, waitMs }, rows, signal),
  } satisfies Partial<Parameters<typeof buildServices>[0]>
}

/** Hides rows: each query excludes them. */
function deletionsOf(
  { settings }: ClusterParts,
  { catalog: { deletions, partitions }, definitions }: Known,
  { journal, progress, store, isSeen }: Rows,
  live: ClusterRows,
) {
  return {
    catalog: deletions,
    store: new DruidDeletions({
      store,
      catalog: deletions,
      entity: (id) => definitions.entities().find((entity) => entity.id === id),
      refresh: () => definitions.refresh(),
      ends: (entityId) => live.ends(entityId),
      changesKeptMs: changesKeptMs(settings),
    }),
    pushed: (entityId, signal) => rowsAreQueryable({ journal, progress, partitions, isSeen }, entityId, signal),
  } satisfies Parameters<typeof buildServices>[0]['deletions']
}

/** Entities that wait for slots of Druid. */
function openWaits({ settings }: ClusterParts, { slotWaits }: ClusterCatalog, closers: Closer[]): SlotWaits {
  const waits = new SlotWaits(slotWaits)
  // The health check of the parts reports that the catalog is unavailable.
  const untold = (): void => undefined
  closers.push(repeat(() => waits.refresh(), settings.limits.checkMs, untold))
  return waits
}

/** Waits while PostgreSQL is unavailable; any other error is thrown. */
async function openCatalog({ cluster, postgres }: Settings, observe: Observe): Promise<ClusterCatalog> {
  for (let reported = ''; ; ) {
    try {
      return await openPostgresCatalog({
        url: postgres.url ?? '',
        caFile: postgres.caFile,
        schema: cluster.name,
        connectionsMax: postgres.connections,
        timeoutMs: postgres.timeoutMs,
      })
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unavailable') throw error
      if (reported !== error.message) observe({ kind: 'partAway', part: 'postgres', message: error.message })
      reported = error.message
      await sleep(retryMs)
    }
  }
}

/** Waits a moment for Kafka, so that a push right after the ready line is not refused because the topic is still being created. */
async function openJournal(
  { settings, observe, kafka: client }: ClusterParts & { readonly kafka: KafkaClient },
  closers: Closer[],
): Promise<KafkaJournal> {
  const { ingest, journal: bounds, kafka } = settings
  const journal = new KafkaJournal({
    client,
    topic: journalTopic(settings),
    partitionsPerEntity: ingest.lanes,
    compression: kafka.compression,
    batchBytesMax: bounds.batchBytes,
    pendingBytesMax: kafka.pendingBytes,
    timeoutMs: kafka.timeoutMs,
    observe,
  })
  closers.push(() => journal.close())
  await journal.ready(AbortSignal.timeout(kafkaFirstMs))
  return journal
}

/** Changes made by another process apply here within moments. */
function followChanges(
  { changes }: ClusterCatalog,
  { definitions, access }: { readonly definitions: Definitions; readonly access: Access },
  observe: Observe,
): void {
  const failed = checkFailed(observe)
  changes.listen({
    definitions: () => void definitions.refresh().catch(failed),
    access: () => void access.refresh().catch(failed),
    partitions: () => undefined,
  })
}

function openRetentions(
  {
    settings,
    observe,
    nowMs,
    catalog,
    definitions,
    supervisors,
    store,
  }: ClusterParts & {
    readonly catalog: ClusterCatalog
    readonly definitions: Definitions
    readonly supervisors: Supervisors
    readonly store: DruidStore
  },
  closers: Closer[],
): Retentions {
  const purge = async (entityId: number, beforeMs: number): Promise<void> => {
    const entity = (await catalog.ingests.entities()).find(({ id }) => id === entityId)
    // Its rows are removed after hours were made of them.
    if (entity?.hours !== undefined) return
    await purgeBefore(entityId, beforeMs, { supervisors, store, timeoutMs: purgeMs, pollEveryMs: retryMs })
  }
  const retentions = new Retentions({
    ingests: catalog.ingests,
    store: { changed: () => undefined, purge },
    changed: () => definitions.refresh(),
    nowMs,
    reach: () => undefined,
  })
  const failed = checkFailed(observe)
  closers.push(repeat(() => retentions.check(), settings.store.retentionCheckMs, failed))
  return retentions
}

function watchParts({
  journal,
  supervisors,
  catalog,
  observe,
  waiting,
}: {
  readonly journal: KafkaJournal
  readonly supervisors: Supervisors
  readonly catalog: ClusterCatalog
  readonly observe: Observe
  readonly waiting: PartsHealthOptions['waiting']
}): PartsHealth {
  return new PartsHealth({
    probes: {
      kafka: async () => {
        if (journal.hasFailed) throw new Error('the journal cannot be reached')
      },
      druid: () => supervisors.checkReachable(),
      postgres: () => catalog.ping(),
    },
    waiting,
    everyMs: retryMs,
    changed: (part, message) =>
      observe(message === null ? { kind: 'partBack', part } : { kind: 'partAway', part, message }),
  })
}

function noBackups(): Problem {
  return new Problem(
    'conflict',
    'A cluster is not one folder to copy: back up PostgreSQL and the deep storage of Druid, and keep replicas of the topics of Kafka (docs/guides/scale.md).',
  )
}

// The work of a process with the role `pipeline`, in addition to reporting its state: it validates partitions of the journal, and manages Druid.
import type { ClusterCatalog } from '../../catalog/cluster-catalog.ts'
import type { Settings } from '../../config/settings.ts'
import type { DruidClient } from '../../druid-client/druid-client.ts'
import { EntryValidator } from '../../ingest/entry-validator.ts'
import type { SharedKeys } from '../../ingest/idempotency/shared-keys.ts'
import { ItemValidator } from '../../ingest/item-validator.ts'
import { RowValidator } from '../../ingest/row-validator.ts'
import type { JournalCursor } from '../../journal/journal.ts'
import type { KafkaJournal } from '../../journal/kafka/kafka-journal.ts'
import { KafkaJournalCursor } from '../../journal/kafka/kafka-journal-cursor.ts'
import { positionAt } from '../../journal/partition-position.ts'
import { KafkaClient } from '../../kafka/kafka-client.ts'
import { RowsTopics } from '../../kafka/rows-topics.ts'
import { repeat } from '../../lib/repeat.ts'
import { checkFailed } from '../../observe/check-failed.ts'
import type { Observe } from '../../observe/event.ts'
import { oldestPendingMs } from '../../partitions/oldest-pending.ts'
import type { PartitionProgress } from '../../partitions/partition-progress.ts'
import { rowsArePublished } from '../../partitions/published-rows.ts'
import { SharedPartitions } from '../../partitions/shared-partitions.ts'
import { TopicTrim } from '../../partitions/topic-trim.ts'
import { type IsSeen, VisibilityWatch } from '../../partitions/visibility-watch.ts'
import type { DruidStore } from '../../store/druid/druid-store.ts'
import { BatchTasks } from '../../store/druid/hours/batch-tasks.ts'
import { Management } from '../../store/druid/supervision/management.ts'
import { SupervisorSlots } from '../../store/druid/supervision/supervisor-slots.ts'
import type { Supervisors } from '../../store/druid/supervision/supervisors.ts'
import { DruidUpkeep } from '../../store/druid/upkeep/druid-upkeep.ts'
import { EntitySlots } from '../../store/druid/upkeep/entity-slots.ts'
import { HoursUpkeep } from '../../store/druid/upkeep/hours-upkeep.ts'
import type { Closer } from '../open-storage.ts'
import { journalTopic, kafkaAccess, rowsTopicSettings, supervisionSettings } from './cluster-connections.ts'

/** How long a read waits at Kafka for new records. */
const readWaitMs = 1000
/** How often rows that were passed on are checked for visibility. */
const seenEveryMs = 250
const forgetKeysEveryMs = 600_000
const trimEveryMs = 60_000
/** When several quiet entities get rows within this time, Druid's state is read once for all of them. */
const slotsPauseMs = 250

const sliceMs = 5
/** The most bytes of lines in one Druid task. Druid stores them in its catalog. */
const chunkBytes = 8 * 1024 * 1024
/** After this time all processes use the current catalog. */
const definitionsMs = 60_000
const hoursPollEveryMs = 1000
/** Druid's tasks check every minute whether their published segments are served. */
const hoursWaitMs = 180_000

export interface OpenPipelineParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly catalog: ClusterCatalog
  readonly keys: SharedKeys
  readonly supervisors: Supervisors
  readonly druid: DruidClient
  readonly isSeen: IsSeen
  readonly journal: KafkaJournal
  readonly progress: PartitionProgress
  readonly store: DruidStore
  readonly nowMs: () => number
}

export function openPipeline(parts: OpenPipelineParts, closers: Closer[]): void {
  const { settings, observe, catalog, nowMs } = parts
  const client = new KafkaClient(kafkaAccess(settings, `${settings.cluster.name}-pipeline`))
  closers.push(() => client.close())
  const rowsTopics = new RowsTopics(client, rowsTopicSettings(settings))
  const { rowBytes } = settings.limits
  const topic = journalTopic(settings).name
  const openCursor = (waitMs: number): JournalCursor => {
    // Its requests wait for new records, so a broker may take `waitMs` longer to respond.
    const own = client.sibling({ timeoutMs: settings.kafka.timeoutMs + waitMs })
    return new KafkaJournalCursor({ client: own, topic, waitMs, observe })
  }
  const slots = openSlots(parts, rowsTopics, closers)
  const pipeline = new SharedPartitions({
    client,
    openCursor: () => openCursor(readWaitMs),
    rowsTopics,
    partitions: catalog.partitions,
    outcomes: catalog.outcomes,
    quarantine: catalog.quarantine,
    nowMs,
    validator: new EntryValidator({
      ingests: catalog.ingests,
      dropped: catalog.dropped,
      validator: new RowValidator({ rowBytes }),
      itemValidator: new ItemValidator({ rowBytes }),
      // Other processes learn of new fields as of any change; rows become queryable later than that.
      open: { ingests: catalog.ingests, fieldsMax: settings.limits.fields, made: async () => undefined },
    }),
    // A failure is retried, and reported, by the next round.
    written: (entityIds) => void slots.written(entityIds)?.catch(() => undefined),
    observe,
    settings: {
      clusterName: settings.cluster.name,
      topic,
      compression: settings.kafka.compression,
      stepBytes: settings.kafka.stepBytes,
      stepRows: settings.store.stepRows,
      timeoutMs: settings.kafka.timeoutMs,
      sessionTimeoutMs: settings.kafka.sessionTimeoutMs,
    },
  })
  closers.push(() => pipeline.close())
  const { changes, partitions } = catalog
  const seen = new VisibilityWatch({
    ...{ changes, partitions, isSeen: parts.isSeen, nowMs: () => performance.now() },
    ownPartitions: () => pipeline.partitions,
  })
  closers.push(repeat(() => seen.check(), seenEveryMs, checkFailed(observe)))
  openTrim(parts, client, closers)
  openUpkeep(parts, rowsTopics, closers)
  openHours(parts, { client, isMine: () => pipeline.partitions.includes(0) }, closers)
  openForgetting(parts, { client, topic, openCursor: () => openCursor(0) }, closers)
}

function openHours(
  { settings, observe, catalog, supervisors, druid, journal, progress, nowMs }: OpenPipelineParts,
  { client, isMine }: { readonly client: KafkaClient; readonly isMine: () => boolean },
  closers: Closer[],
): void {
  const { ingests, deletions, partitions } = catalog
  const clusterName = settings.cluster.name
  const { checkMs } = settings.druid
  const { queryTimeMs } = settings.limits
  const publishing = { journal, progress, client, clusterName, supervisors, pollEveryMs: hoursPollEveryMs }
  const management = new Management(druid, clusterName)
  const upkeep = new HoursUpkeep({
    ...{ ingests, deletions, client: druid, isMine, nowMs },
    tasks: new BatchTasks({ management, pollEveryMs: hoursPollEveryMs }),
    published: (entityId, signal) => rowsArePublished(publishing, entityId, signal),
    processed: async () =>
      (await partitions.partitions())
        .map(({ partition, processedPosition }) => ({ from: positionAt(partition, 0), before: processedPosition }))
        .filter(({ from, before }) => from < before),
    settings: {
      ...{ clusterName, queryTimeMs, sliceMs, chunkBytes, graceMs: queryTimeMs + definitionsMs },
      ...{ waitMs: hoursWaitMs, pollEveryMs: hoursPollEveryMs },
    },
  })
  closers.push(() => upkeep.close())
  closers.push(repeat(() => upkeep.check(), checkMs, checkFailed(observe)))
}

function openForgetting(
  { observe, catalog, keys, nowMs }: OpenPipelineParts,
  journal: { readonly client: KafkaClient; readonly topic: string; readonly openCursor: () => JournalCursor },
  closers: Closer[],
): void {
  const stop = new AbortController()
  const forget = async (): Promise<void> => {
    const partitions = (await journal.client.leadersOf(journal.topic)).length
    const waitingMs = await oldestPendingMs({
      partitions,
      catalog: catalog.partitions,
      openCursor: journal.openCursor,
      nowMs,
    })
    await keys.forget(waitingMs, stop.signal)
  }
  closers.push(() => stop.abort())
  closers.push(repeat(forget, forgetKeysEveryMs, checkFailed(observe)))
}

function openSlots(
  { settings, observe, catalog, druid, nowMs }: OpenPipelineParts,
  rowsTopics: RowsTopics,
  closers: Closer[],
): EntitySlots {
  const { slots, quietMs, quietMinMs, checkMs, timeoutMs } = settings.druid
  const supervision = supervisionSettings(settings)
  const entitySlots = new EntitySlots({
    ingests: catalog.ingests,
    slots: new SupervisorSlots({ client: druid, settings: supervision, nowMs }),
    rowsTopics,
    waits: catalog.slotWaits,
    observe,
    nowMs,
    settings: {
      slotsEach: supervision.taskCount * supervision.replicas,
      slotsMax: slots === 0 ? Number.POSITIVE_INFINITY : slots,
      quietMs,
      quietMinMs,
      timeoutMs,
      pauseMs: slotsPauseMs,
    },
  })
  closers.push(() => entitySlots.close())
  closers.push(repeat(() => entitySlots.check(), checkMs, checkFailed(observe)))
  return entitySlots
}

function openTrim(
  { settings, observe, catalog, supervisors, nowMs }: OpenPipelineParts,
  client: KafkaClient,
  closers: Closer[],
): void {
  const trim = new TopicTrim({
    client,
    clusterName: settings.cluster.name,
    journal: journalTopic(settings).name,
    group: `${settings.cluster.name}-pipeline`,
    partitions: catalog.partitions,
    readFrom: (entityId) => supervisors.readFrom(entityId),
    retentionMs: Math.max(settings.kafka.journalRetentionMs, settings.limits.liveKeepMs),
    nowMs,
    observe,
  })
  const check = async (): Promise<void> => trim.check((await catalog.ingests.entities()).map(({ id }) => id))
  closers.push(repeat(check, trimEveryMs, checkFailed(observe)))
}

function openUpkeep(
  { settings, observe, catalog, supervisors, nowMs }: OpenPipelineParts,
  rowsTopics: RowsTopics,
  closers: Closer[],
): void {
  const { ingests, dropped } = catalog
  const { checkMs, timeoutMs } = settings.druid
  const upkeep = new DruidUpkeep({ ingests, dropped, supervisors, rowsTopics, observe, timeoutMs, nowMs })
  closers.push(() => upkeep.close())
  // Failures because a part is unavailable are reported by the health check of the parts.
  const failed = checkFailed(observe)
  catalog.changes.listen({
    definitions: () => void upkeep.check(false).catch(failed),
    access: () => undefined,
    partitions: () => undefined,
  })
  closers.push(repeat(() => upkeep.check(true), checkMs, failed))
}

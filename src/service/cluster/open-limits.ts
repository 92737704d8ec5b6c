// The limits on pushes in a process of a cluster, and the levels that /metrics reports for them.
import type { Admission } from '../../admission/admission.ts'
import type { ClusterCatalog } from '../../catalog/cluster-catalog.ts'
import type { Settings } from '../../config/settings.ts'
import type { SharedKeys } from '../../ingest/idempotency/shared-keys.ts'
import { DiskFloor } from '../../ingest/limits/disk-floor.ts'
import { RejectedSpace } from '../../ingest/limits/rejected-space.ts'
import { QuarantineCount } from '../../ingest/quarantine/quarantine-count.ts'
import type { KafkaClient } from '../../kafka/kafka-client.ts'
import { KafkaUnavailable } from '../../kafka/kafka-errors.ts'
import { leastFreeBytes } from '../../kafka/retained-records.ts'
import { repeat } from '../../lib/repeat.ts'
import type { ClusterIds } from '../../live/cluster/cluster-ids.ts'
import { checkFailed } from '../../observe/check-failed.ts'
import type { Observe } from '../../observe/event.ts'
import type { Metrics } from '../../observe/metrics.ts'
import type { PartitionProgress } from '../../partitions/partition-progress.ts'
import type { SlotWaits } from '../../store/druid/upkeep/known-slot-waits.ts'
import type { ServiceParts } from '../build-services.ts'
import { openIntake } from '../open-intake.ts'
import type { Closer } from '../open-storage.ts'

interface LimitedParts {
  readonly settings: Settings
  readonly observe: Observe
  readonly metrics: Metrics
  readonly nowMs: () => number
  readonly catalog: ClusterCatalog
  readonly progress: PartitionProgress
  readonly keys: SharedKeys
  readonly kafka: KafkaClient
  readonly waits: SlotWaits
  readonly liveIds: Pick<ClusterIds, 'readers'>
  readonly admission: Admission
}

export async function openLimits(parts: LimitedParts, closers: Closer[]): Promise<ServiceParts['limits']> {
  const { settings, observe, metrics, nowMs, catalog, progress, keys, kafka, waits, liveIds, admission } = parts
  const { limits, journal } = settings
  const rejectedSpace = new RejectedSpace({
    rejected: catalog.rejected,
    progress,
    // Counts lag behind the positions of the partitions.
    rejectedRows: null,
    bytesMax: limits.rejectedBytes,
  })
  const disk = new DiskFloor({
    freeBytes: () => leastFreeBytes(kafka),
    floorBytes: journal.diskFloorBytes,
    warnBytes: journal.diskWarnBytes,
    disk: 'a disk of Kafka',
    observe,
  })
  const failed = checkFailed(observe)
  const quarantineCount = new QuarantineCount(catalog.quarantine)
  const check = async (): Promise<void> => {
    await rejectedSpace.refresh()
    await quarantineCount.refresh()
    await keys.refresh()
  }
  await check()
  // Nothing waits for Kafka, which may become available later. The health check of the parts reports that it is unavailable; any other failure is
  // reported once.
  let reported = ''
  const refresh = (): Promise<void> =>
    disk.refresh().catch((error) => {
      if (error instanceof KafkaUnavailable || reported === String(error)) return
      reported = String(error)
      failed(error)
    })
  void refresh()
  closers.push(repeat(refresh, limits.checkMs, failed))
  closers.push(repeat(check, limits.checkMs, failed))
  const intake = openIntake({ settings, progress, disk, rejectedSpace, quarantineCount, nowMs })
  metrics.watch({
    ...intake.levels,
    idempotency_keys: () => keys.count,
    pending_rows: () => progress.pendingRows,
    live_readers: () => liveIds.readers,
    running_queries: () => admission.running,
    waiting_queries: () => admission.waiting,
    waiting_entities: () => waits.count,
  })
  return intake.limits
}

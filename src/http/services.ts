import type { Access } from '../access/access.ts'
import type { BackupList } from '../admin/backup-list.ts'
import type { Backups } from '../admin/backups.ts'
import type { EntityAdmin } from '../admin/entities.ts'
import type { IngestAdmin } from '../admin/ingests.ts'
import type { RejectedAdmin } from '../admin/rejected.ts'
import type { RejectedRows } from '../admin/rejected-rows.ts'
import type { SetAsideAdmin } from '../admin/set-aside.ts'
import type { SettingAnswer } from '../admin/setting-schemas.ts'
import type { StorageList } from '../admin/storage.ts'
import type { SubscriberAdmin } from '../admin/subscribers.ts'
import type { Avatica } from '../avatica/avatica.ts'
import type { CancelsElsewhere } from '../catalog/cancels-elsewhere.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { NativeQueries } from '../druid-native/native-queries.ts'
import type { SqlQueries } from '../druid-sql/sql-queries.ts'
import type { Pushes } from '../ingest/push.ts'
import type { PushCheck } from '../ingest/push-check.ts'
import type { Receipts } from '../ingest/receipts.ts'
import type { ItemAdmin } from '../metadata/item-admin.ts'
import type { Metadata } from '../metadata/metadata.ts'
import type { Observe } from '../observe/event.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Queries } from '../query/queries.ts'
import type { TagLists } from '../query/tag-lists.ts'
import type { Readiness } from './readiness.ts'

/** What the endpoints call. */
export interface Services {
  readonly access: Pick<
    Access,
    | 'changes'
    | 'identify'
    | 'requireIngest'
    | 'mayPush'
    | 'requireOwnRows'
    | 'requireConsume'
    | 'requireObserve'
    | 'requireAdmin'
    | 'mayRead'
    | 'describe'
  >
  readonly definitions: Pick<Definitions, 'ingest' | 'ingests' | 'entity' | 'entities'>
  readonly pushes: Pick<Pushes, 'push'>
  readonly pushCheck: Pick<PushCheck, 'check'>
  readonly receipts: Pick<Receipts, 'receipt'>
  readonly sqlQueries: Pick<SqlQueries, 'run'>
  readonly nativeQueries: Pick<NativeQueries, 'run'>
  /** What reaches queries that other processes run; null on one machine. */
  readonly cancelsElsewhere: CancelsElsewhere | null
  readonly avatica: Pick<Avatica, 'answer' | 'closeIdle' | 'close'>
  readonly queries: Pick<Queries, 'run' | 'entities'>
  readonly tagLists: Pick<TagLists, 'list'>
  readonly metadata: Pick<Metadata, 'describe' | 'requireTable' | 'list' | 'find'>
  readonly ingestAdmin: Pick<IngestAdmin, 'create' | 'list' | 'show' | 'change' | 'delete'>
  readonly rejectedRows: Pick<RejectedRows, 'list' | 'summary' | 'batches' | 'discard'>
  readonly rejectedAdmin: Pick<RejectedAdmin, 'list' | 'summary' | 'batches' | 'discard' | 'replay' | 'previewReplay'>
  readonly setAsideAdmin: Pick<SetAsideAdmin, 'list' | 'body' | 'letGo'>
  readonly subscriberAdmin: Pick<
    SubscriberAdmin,
    'create' | 'list' | 'delete' | 'createKey' | 'deleteKey' | 'putSubscriptions' | 'getSubscriptions'
  >
  readonly entityAdmin: Pick<EntityAdmin, 'list' | 'change'>
  readonly storageList: Pick<StorageList, 'list'>
  readonly itemAdmin: Pick<ItemAdmin, 'delete'>
  readonly backups: Pick<Backups, 'make'>
  readonly backupList: Pick<BackupList, 'list'>
  readonly settingsInForce: () => readonly SettingAnswer[]
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>
  readonly readiness: () => Readiness
  readonly observe: Observe
}

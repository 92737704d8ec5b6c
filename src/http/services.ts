import type { Access } from '../access/access.ts'
import type { Audit } from '../admin/audit.ts'
import type { BackupList } from '../admin/backup-list.ts'
import type { Backups } from '../admin/backups.ts'
import type { DeletionAdmin } from '../admin/deletions.ts'
import type { EntityAdmin } from '../admin/entities.ts'
import type { HookAdmin } from '../admin/hooks.ts'
import type { IngestAdmin } from '../admin/ingests.ts'
import type { QuarantineAdmin } from '../admin/quarantine.ts'
import type { RejectedAdmin } from '../admin/rejected.ts'
import type { RejectedRows } from '../admin/rejected-rows.ts'
import type { SettingAnswer } from '../admin/setting-schemas.ts'
import type { StorageList } from '../admin/storage.ts'
import type { SubscriberAdmin } from '../admin/subscribers.ts'
import type { Views } from '../admin/views.ts'
import type { Queries } from '../admission/queries.ts'
import type { Avatica } from '../avatica/avatica.ts'
import type { CancelsElsewhere } from '../catalog/cluster-catalog.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { NativeBody } from '../druid-native/native-language.ts'
import type { FormattedSqlQuery } from '../druid-sql/sql-language.ts'
import type { I3x } from '../i3x/i3x.ts'
import type { InfluxQueries } from '../influxql/influx-queries.ts'
import type { Pushes } from '../ingest/push.ts'
import type { PushCheck } from '../ingest/push-check.ts'
import type { Receipts } from '../ingest/receipts.ts'
import type { Live } from '../live/live.ts'
import type { LiveStart } from '../live/live-rows.ts'
import type { ItemAdmin } from '../metadata/item-admin.ts'
import type { Metadata } from '../metadata/metadata.ts'
import type { Observe } from '../observe/event.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { EntityList } from '../query/entity-list.ts'
import type { DataQuestion } from '../query/plan-query.ts'
import type { TagLists } from '../query/tag-lists.ts'
import type { Readiness } from './readiness.ts'

/** The public members of a class, so that a plain object can implement them. */
type Public<Class> = Pick<Class, keyof Class>

/** The services that the endpoints call. */
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
    | 'requireCorrect'
    | 'mayRead'
    | 'describe'
  >
  readonly definitions: Pick<Definitions, 'ingest' | 'ingests' | 'entity' | 'entities'>
  readonly pushes: Pick<Pushes, 'push'>
  readonly pushCheck: Pick<PushCheck, 'check'>
  readonly receipts: Pick<Receipts, 'receipt'>
  readonly queries: Pick<Queries<DataQuestion>, 'run'>
  readonly sqlQueries: Pick<Queries<FormattedSqlQuery>, 'run'>
  readonly nativeQueries: Pick<Queries<NativeBody>, 'run'>
  readonly influxQueries: Pick<InfluxQueries, 'run'>
  readonly i3x: Public<I3x>
  /** Cancels queries that run in other processes; null on one machine. */
  readonly cancelsElsewhere: CancelsElsewhere | null
  readonly avatica: Pick<Avatica, 'answer' | 'requireOwn' | 'closeIdle' | 'close'>
  readonly entityList: Pick<EntityList, 'list'>
  readonly tagLists: Pick<TagLists, 'list'>
  readonly live: Pick<Live<LiveStart>, 'read' | 'isAllowed' | 'follow' | 'idOf'>
  readonly metadata: Pick<Metadata, 'describe' | 'requireTable' | 'list' | 'find'>
  readonly audit: Pick<Audit, 'change' | 'setAfter' | 'keyRefused' | 'list'>
  readonly ingestAdmin: Public<IngestAdmin>
  readonly rejectedRows: Public<RejectedRows>
  readonly rejectedAdmin: Public<RejectedAdmin>
  readonly quarantineAdmin: Public<QuarantineAdmin>
  readonly subscriberAdmin: Public<SubscriberAdmin>
  readonly entityAdmin: Public<EntityAdmin>
  readonly hookAdmin: Public<HookAdmin>
  readonly views: Public<Views>
  readonly deletionAdmin: Pick<DeletionAdmin, 'delete' | 'list' | 'takeBack'>
  readonly storageList: Public<StorageList>
  readonly itemAdmin: Public<ItemAdmin>
  readonly backups: Pick<Backups, 'make'>
  readonly backupList: Public<BackupList>
  readonly settingsInForce: () => readonly SettingAnswer[]
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>
  readonly readiness: () => Readiness
  readonly observe: Observe
}

// Requests and responses of the service, as types for its clients. Each is the type of the schema with which the service itself checks or writes it, so the
// two cannot differ.

import type { OwnSubscriptionAnswer } from '../access/subscriptions.ts'
import type { AuditAnswer as AuditSchema } from '../admin/audit.ts'
import type { ListedBackupAnswer } from '../admin/backup-list.ts'
import type { BackupAnswer } from '../admin/backups.ts'
import type { DeletionAnswer as DeletionSchema, DryDeletionAnswer } from '../admin/deletion-schemas.ts'
import type { ChangeEntity as ChangeEntitySchema, EntityAnswer as EntitySchema } from '../admin/entities.ts'
import type { DeliveryAnswer as DeliverySchema, HookAnswer as HookSchema, PutHook } from '../admin/hooks.ts'
import type {
  ChangeIngest,
  CreateIngest,
  IngestAnswer as IngestSchema,
  OwnIngestAnswer as OwnIngestSchema,
} from '../admin/ingest-schemas.ts'
import type { QuarantinedAnswer as QuarantinedSchema } from '../admin/quarantine.ts'
import type { BatchAnswer as BatchSchema, RejectedAnswer, RejectedSummaryAnswer } from '../admin/rejected-schemas.ts'
import type {
  PreviewAnswer as PreviewSchema,
  ReplayRequest as ReplayRequestSchema,
  ReplayAnswer as ReplaySchema,
} from '../admin/replay-schemas.ts'
import type { SettingAnswer as SettingSchema } from '../admin/setting-schemas.ts'
import type { StorageAnswer as StorageSchema } from '../admin/storage.ts'
import type {
  CreatedKey as CreatedKeySchema,
  CreateKey,
  PutSubscriptions,
  SubscriberAnswer as SubscriberSchema,
} from '../admin/subscriber-schemas.ts'
import type {
  ListedView as ListedViewSchema,
  ViewDefinition as ViewDefinitionSchema,
  ViewAnswer as ViewSchema,
} from '../admin/views.ts'
import type { ReadinessAnswer as ReadinessSchema } from '../http/readiness.ts'
import type { Accepted as AcceptedSchema, CheckAnswer as CheckSchema, ReceiptAnswer } from '../http/routes/pushes.ts'
import type { ServiceAnswer as ServiceSchema } from '../http/service-answer.ts'
import type { Description } from '../metadata/schemas.ts'
import type { Page, PageRequest } from '../model/page.ts'
import type { DeletionBody } from '../query/requests.ts'
import type { EntityDescription as EntityDescriptionSchema } from '../query/responses.ts'

/** Read-only, at every depth. */
type Plain<T> = T extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Plain<T[Name]> }
    : T

export type { Page, PageRequest }

export type Accepted = Plain<AcceptedSchema>
/** `rows = stored + rejected + pending`; `errors` has the first errors, by index. */
export type Receipt = Plain<ReceiptAnswer>
/** `rows = stored + rejected`; `errors` has every rejected row, by index. */
export type CheckAnswer = Plain<CheckSchema>
/** `further` is set only by a check. */
export type RowError = CheckAnswer['errors'][number]

/** A folder on the service's own machine. */
export type MadeBackup = Plain<BackupAnswer>
export type ListedBackup = Plain<ListedBackupAnswer>

/** An administrative change. */
export type AuditAnswer = Plain<AuditSchema>
export interface AuditFilters {
  /** A subscriber, or the id of a key. */
  readonly who?: string
  readonly what?: string
  readonly from?: string
  readonly until?: string
}

/** A saved view in a list. */
export type ListedView = Plain<ListedViewSchema>
export type SavedView = Plain<ViewSchema>
export type ViewDefinition = Plain<ViewDefinitionSchema>
/** An address to which the service sends events for operators. */
export type HookAnswer = Plain<HookSchema>
export type HookDefinition = Plain<PutHook>
/** An event of a hook, and the state of its delivery. */
export type HookDelivery = Plain<DeliverySchema>

export type SettingAnswer = Plain<SettingSchema>

export type EntityDescription = Plain<EntityDescriptionSchema>
/** An entity as the operator sees it. */
export type EntityAnswer = Plain<EntitySchema>
export type ChangeEntity = Plain<ChangeEntitySchema>
/** The selection and the reason of a deletion. */
export type NewDeletion = Plain<Omit<DeletionBody, 'dry_run'>>
export type DeletionAnswer = Plain<DeletionSchema>
export type DryDeletion = Plain<DryDeletionAnswer>
export type StorageAnswer = Plain<StorageSchema>

export type MetadataDescription = Plain<Description>
/** A metadata item, keyed by the field names of its table. */
export type MetadataItem = Readonly<Record<string, unknown>>

export type NewIngest = Plain<CreateIngest>
export type NewField = NonNullable<NewIngest['fields']>[number]
export type IngestChange = Plain<ChangeIngest>
export type IngestAnswer = Plain<IngestSchema>

export type RejectedRowAnswer = Plain<RejectedAnswer>
/** Rejected rows with the same fault. */
export type RejectedKindAnswer = Plain<RejectedSummaryAnswer>[number]
/** A push that has, or had, rejected rows. */
export type BatchAnswer = Plain<BatchSchema>
/** An ingest as its pushers see it. */
export type OwnIngestAnswer = Plain<OwnIngestSchema>
/** `replayed = stored + rejected`. */
export type ReplayAnswer = Plain<ReplaySchema>
export type PreviewAnswer = Plain<PreviewSchema>
/** The target of a replay, and the changes to its rows. */
export type ReplayChanges = Omit<Plain<ReplayRequestSchema>, 'ids'>

/** A push that crashed the validator. It is not validated until an operator releases it. */
export type QuarantinedAnswer = Plain<QuarantinedSchema>

export type SubscriberAnswer = Plain<SubscriberSchema>
export type KeySummary = SubscriberAnswer['keys'][number]
export type KeyRight = KeySummary['rights'][number]
export type NewKey = Plain<CreateKey>
/** The only response that ever contains the key. */
export type CreatedKey = Plain<CreatedKeySchema>

export type SubscriptionEntry = Plain<PutSubscriptions>[number]
export type OwnSubscription = Plain<OwnSubscriptionAnswer>

export type ServiceAnswer = Plain<ServiceSchema>
/** Which parts of the service are ready. Lists only the parts that the engine has. */
export type ReadinessAnswer = Plain<ReadinessSchema>

// What the service answers, and what it is told, as its clients see it. Each type is that of the schema by which the service itself checks or
// writes it: there is no second list that could say something else.

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

/** Whoever gets it does not change it. */
type Plain<T> = T extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Plain<T[Name]> }
    : T

export type { Page, PageRequest }

export type Accepted = Plain<AcceptedSchema>
/** `rows = stored + rejected + pending`; `errors` holds the first ones, by index. */
export type Receipt = Plain<ReceiptAnswer>
/** `rows = stored + rejected`; `errors` holds all of the latter, by index. */
export type CheckAnswer = Plain<CheckSchema>
/** `further` is told by a check alone. */
export type RowError = CheckAnswer['errors'][number]

/** A folder on the service's own machine. */
export type MadeBackup = Plain<BackupAnswer>
export type ListedBackup = Plain<ListedBackupAnswer>

/** A change on the operator's side. */
export type AuditAnswer = Plain<AuditSchema>
export interface AuditFilters {
  /** A subscriber, or the id of a key. */
  readonly who?: string
  readonly what?: string
  readonly from?: string
  readonly until?: string
}

/** An address to which the service sends events for operators. */
export type ListedView = Plain<ListedViewSchema>
export type SavedView = Plain<ViewSchema>
export type ViewDefinition = Plain<ViewDefinitionSchema>
export type HookAnswer = Plain<HookSchema>
export type HookDefinition = Plain<PutHook>
/** An event of a hook, and what became of it. */
export type HookDelivery = Plain<DeliverySchema>

export type SettingAnswer = Plain<SettingSchema>

export type EntityDescription = Plain<EntityDescriptionSchema>
/** As the operator sees it. */
export type EntityAnswer = Plain<EntitySchema>
export type ChangeEntity = Plain<ChangeEntitySchema>
/** What a deletion selects, and why. */
export type NewDeletion = Plain<Omit<DeletionBody, 'dry_run'>>
export type DeletionAnswer = Plain<DeletionSchema>
export type DryDeletion = Plain<DryDeletionAnswer>
export type StorageAnswer = Plain<StorageSchema>

export type MetadataDescription = Plain<Description>
/** An item under the field names of its table. */
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
/** As those who push to it see it. */
export type OwnIngestAnswer = Plain<OwnIngestSchema>
/** `replayed = stored + rejected`. */
export type ReplayAnswer = Plain<ReplaySchema>
export type PreviewAnswer = Plain<PreviewSchema>
/** Where rejected rows go, and how they are mended. */
export type ReplayChanges = Omit<Plain<ReplayRequestSchema>, 'ids'>

/** A push that ended the validator, and is not validated until an operator lets it go. */
export type QuarantinedAnswer = Plain<QuarantinedSchema>

export type SubscriberAnswer = Plain<SubscriberSchema>
export type KeySummary = SubscriberAnswer['keys'][number]
export type KeyRight = KeySummary['rights'][number]
export type NewKey = Plain<CreateKey>
/** The only answer that ever shows the key. */
export type CreatedKey = Plain<CreatedKeySchema>

export type SubscriptionEntry = Plain<PutSubscriptions>[number]
export type OwnSubscription = Plain<OwnSubscriptionAnswer>

export type ServiceAnswer = Plain<ServiceSchema>
/** What of the service is ready; an engine tells only of the parts that it has. */
export type ReadinessAnswer = Plain<ReadinessSchema>

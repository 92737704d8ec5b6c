// The services that the endpoints call. They are built in the same way for both engines, from the parts that differ.

import { randomUUID } from 'node:crypto'
import type { Access } from '../access/access.ts'
import { newKey } from '../access/keys.ts'
import type { Audit } from '../admin/audit.ts'
import { BackupList } from '../admin/backup-list.ts'
import { DeletionAdmin, type DeletionAdminParts } from '../admin/deletions.ts'
import { EntityAdmin } from '../admin/entities.ts'
import { HookAdmin } from '../admin/hooks.ts'
import { IngestAdmin } from '../admin/ingests.ts'
import { QuarantineAdmin } from '../admin/quarantine.ts'
import { RejectedAdmin } from '../admin/rejected.ts'
import { RejectedRows } from '../admin/rejected-rows.ts'
import { previewRowsMax } from '../admin/replay-schemas.ts'
import type { Retentions } from '../admin/retentions.ts'
import { StorageList, type StorageListParts } from '../admin/storage.ts'
import { SubscriberAdmin } from '../admin/subscribers.ts'
import { Views } from '../admin/views.ts'
import type { Admission } from '../admission/admission.ts'
import { type Language, Queries } from '../admission/queries.ts'
import { itself } from '../admission/reader.ts'
import type { AnswerSettings } from '../answer/store-rows.ts'
import type { UnsentAnswers } from '../answer/unsent-answers.ts'
import { Avatica, type SqlOfAvatica } from '../avatica/avatica.ts'
import type { ItemCatalog, SharedCatalog } from '../catalog/catalog.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { backupDirectory } from '../config/data-paths.ts'
import type { Settings } from '../config/settings.ts'
import { settingsInForce } from '../config/settings-in-force.ts'
import type { NativeBody } from '../druid-native/native-language.ts'
import { describeSql } from '../druid-sql/describe-sql.ts'
import type { FormattedSqlQuery } from '../druid-sql/sql-language.ts'
import { Zone } from '../druid-time/zone.ts'
import { metricsAccess } from '../http/guard.ts'
import type { Services } from '../http/services.ts'
import { I3x } from '../i3x/i3x.ts'
import { InfluxQueries } from '../influxql/influx-queries.ts'
import { BatchIds } from '../ingest/batch-id.ts'
import type { IdempotencyKeys } from '../ingest/idempotency/idempotency-keys.ts'
import type { DiskFloor } from '../ingest/limits/disk-floor.ts'
import type { Intake } from '../ingest/limits/intake.ts'
import type { RejectedSpace } from '../ingest/limits/rejected-space.ts'
import type { IngestProgress } from '../ingest/progress.ts'
import { type PlacedBatch, Pushes, type PushParts } from '../ingest/push.ts'
import { PushCheck } from '../ingest/push-check.ts'
import type { QuarantineCount } from '../ingest/quarantine/quarantine-count.ts'
import { type ReceiptParts, Receipts } from '../ingest/receipts.ts'
import { ReplayPreview } from '../ingest/replay/replay-preview.ts'
import { type ReplayParts, Replays } from '../ingest/replay/replays.ts'
import type { JournalWriter } from '../journal/journal.ts'
import { ItemAdmin } from '../metadata/item-admin.ts'
import { Metadata } from '../metadata/metadata.ts'
import { isRemovingHourRows } from '../model/entity.ts'
import { NextTokens } from '../model/next-token.ts'
import type { Reach } from '../observe/crash-point.ts'
import type { Metrics } from '../observe/metrics.ts'
import { EntityList } from '../query/entity-list.ts'
import { dataLanguage } from '../query/plan-query.ts'
import type { PlanRunner } from '../query/plan-runner.ts'
import { TagLists } from '../query/tag-lists.ts'
import { selfHistoryMs } from './open-self-history.ts'

/** The most rejected rows that a receipt shows. */
const receiptErrorsMax = 100

export interface ServiceParts {
  readonly settings: Settings
  readonly catalog: SharedCatalog
  readonly audit: Audit
  /** Items for readers. On one machine this is a separate connection, which never waits for a pending change. */
  readonly readItems: ItemCatalog
  /** See `StorageListParts.sizes`. */
  readonly storedSizes: StorageListParts['sizes']
  readonly journal: JournalWriter
  /** The replica that a push may wait for. */
  readonly replica?: PushParts['replica']
  readonly keys: Pick<IdempotencyKeys, 'once'>
  readonly progress: IngestProgress
  /** Resolves when queries see all stored rows of a batch; rejects with the signal's reason. */
  readonly isQueryable: (batch: PlacedBatch, signal: AbortSignal) => Promise<void>
  /** See `ReceiptParts.unseen`. */
  readonly unseen: ReceiptParts['unseen']
  /** See `ReplayParts.isQueryable`. */
  readonly replayIsQueryable: ReplayParts['isQueryable']
  readonly runner: PlanRunner
  readonly sqlLanguage: Language<FormattedSqlQuery>
  readonly nativeLanguage: Language<NativeBody>
  /** Storage for the answers that this process writes. */
  readonly written: { readonly unsent: UnsentAnswers; readonly settings: AnswerSettings }
  /** The slots that all queries share. */
  readonly admission: Admission
  readonly definitions: Definitions
  readonly access: Access
  readonly retentions: Retentions
  readonly deletions: Pick<DeletionAdminParts, 'catalog' | 'store' | 'pushed'>
  readonly limits: {
    readonly intake: Intake
    readonly disk: DiskFloor
    readonly rejectedSpace: RejectedSpace
    readonly quarantineCount: QuarantineCount
  }
  /** Called when the catalog has dropped an entity. */
  readonly dropped: () => void
  /** Since when an entity waits for tasks to read its rows; null while it does not wait. */
  readonly waitingSinceMs: (entityId: number) => number | null
  readonly nowMs: () => number
  readonly reach: Reach
}

/** Services that each engine provides itself. */
interface OwnServices extends Pick<Services, 'cancelsElsewhere' | 'live' | 'backups' | 'readiness' | 'observe'> {
  readonly metrics: Metrics
}

/** An engine that is ready for requests. */
export interface Opened {
  readonly services: Services
  readonly newAdminKey: string | null
  /** See `Service.started`. */
  readonly started: () => Promise<void>
}

export async function buildServices(parts: ServiceParts, own: OwnServices): Promise<Services> {
  const { settings, catalog, journal, progress, definitions, access, audit, readItems, nowMs } = parts
  const { limits } = settings
  own.metrics.watchIngests({
    ownMax: limits.metricsIngests,
    ingests: () => definitions.ingests(),
    pendingRows: (ingestId) => progress.pendingOf(ingestId),
  })
  const tokens = new NextTokens(await catalog.secrets.secret('next-token'))
  const batchIds = new BatchIds(await catalog.secrets.secret('batch-id'))
  const pushing = pushServices(parts, own.observe, { tokens, batchIds })
  const querying = queryServices(parts, own.observe, tokens)
  const { queries, sqlQueries, tagLists } = querying
  const { pushes, pushCheck } = pushing
  return {
    ...own,
    ...{ access, audit, definitions },
    ...pushing,
    ...querying,
    i3x: new I3x({
      ...{ definitions, tagLists, items: readItems, queries, sqlQueries, pushes, check: pushCheck, nowMs },
      ...{ live: own.live, settings: settings.i3x },
    }),
    itemAdmin: new ItemAdmin({ definitions, items: catalog.items, journal, progress, waitMs: limits.ingestWaitMs }),
    backupList: new BackupList({ directory: settings.engine === 'cluster' ? null : backupDirectory(settings), tokens }),
    storageList: new StorageList({ ingests: catalog.ingests, sizes: parts.storedSizes, tokens }),
    settingsInForce: () =>
      settingsInForce(
        settings,
        new Map<string, string | number>([
          ['access.metrics', metricsAccess(settings.access)],
          ['self.historyMs', selfHistoryMs(settings)],
        ]),
      ),
    ...operatorServices(parts, { ...pushing, tokens, batchIds, tagLists }),
  }
}

/** The signers of the ids and tokens that callers receive. */
interface Signers {
  readonly batchIds: BatchIds
  readonly tokens: NextTokens
}

/** Services for pushes. */
function pushServices(
  {
    settings: { limits },
    catalog,
    journal,
    replica = null,
    keys,
    progress,
    isQueryable,
    nowMs,
    ...parts
  }: ServiceParts,
  observe: Services['observe'],
  { batchIds, tokens }: Signers,
) {
  const { rejected } = catalog
  const { intake, rejectedSpace } = parts.limits
  const { rowBytes, checkRows, fields: fieldsMax, ingestWaitMs } = limits
  const receipts = new Receipts({ batchIds, rejected, progress, unseen: parts.unseen, errorsMax: receiptErrorsMax })
  const rejectedRows = new RejectedRows({
    ...{ rejected, batchIds, tokens },
    outcome: (batch) => receipts.outcome(batch),
    pageBytes: limits.pageBytes,
    discarded: () => rejectedSpace.refresh(),
  })
  const entityFields = (name: string) => parts.definitions.entity(name)?.fields ?? []
  const pushCheck = new PushCheck({ intake, rowBytes, rowsMax: checkRows, fieldsMax, entityFields })
  const pushes = new Pushes({
    ...{ journal, replica, keys, intake, batchIds, progress, isQueryable, receipts, observe, nowMs, ingestWaitMs },
    rowsMax: limits.pushRows,
  })
  return { receipts, rejectedRows, pushCheck, pushes }
}

/** Services for queries. */
function queryServices(parts: ServiceParts, observe: Services['observe'], tokens: NextTokens) {
  const { settings, runner, admission, definitions, readItems: items, nowMs } = parts
  const { limits } = settings
  const places = { admission, limits }
  const sqlQueries = new Queries(parts.sqlLanguage, places)
  return {
    queries: new Queries(dataLanguage({ definitions, items, runner, nowMs, limits }), places),
    sqlQueries,
    nativeQueries: new Queries(parts.nativeLanguage, places),
    influxQueries: new InfluxQueries({ definitions, sqlQueries, limits, nowMs, ...parts.written }),
    tagLists: new TagLists({ ...places, definitions, runner, tokens, limits }),
    entityList: new EntityList({ ...places, definitions, runner }),
    avatica: openAvatica(parts, sqlQueries, observe),
    metadata: new Metadata({ definitions, items, tokens, limits }),
  }
}

function openAvatica(
  { settings, definitions, nowMs }: ServiceParts,
  sqlQueries: Queries<FormattedSqlQuery>,
  observe: Services['observe'],
): Avatica {
  const { jdbc, limits } = settings
  const describe: SqlOfAvatica['describe'] = (question, reader) =>
    describeSql({ ...question, explains: true }, definitions, limits, reader)
  const run: SqlOfAvatica['run'] = async (asked, signal, reader) => {
    const question = { ...asked, explains: true }
    const { columns } = describe(question, reader)
    return { columns, answer: await sqlQueries.run({ ...question, format: 'ndjson' }, signal, reader) }
  }
  return new Avatica({ sql: { describe, run }, limits: jdbc, nowMs, observe })
}

interface SharedServices extends Signers {
  readonly tagLists: TagLists
  readonly rejectedRows: RejectedRows
  readonly pushCheck: PushCheck
}

/** Services for operators. */
function operatorServices(parts: ServiceParts, shared: SharedServices) {
  const { catalog, definitions, access, retentions, nowMs } = parts
  const { ingests, quarantine } = catalog
  const { batchIds, tokens } = shared
  return {
    ingestAdmin: ingestAdminOf(parts, tokens),
    rejectedAdmin: rejectedAdminOf(parts, shared),
    quarantineAdmin: new QuarantineAdmin({
      ...{ quarantine, ingests, tokens, batchIds },
      changed: () => parts.limits.quarantineCount.refresh(),
    }),
    subscriberAdmin: new SubscriberAdmin({
      access: catalog.access,
      ...{ tokens, newKey, newKeyId: randomUUID, nowMs },
      changed: () => access.refresh(),
    }),
    hookAdmin: hookAdminOf(parts, shared),
    views: new Views({ views: catalog.views, definitions, isTimeZone, tokens, nowMs }),
    deletionAdmin: deletionAdminOf(parts, tokens),
    entityAdmin: new EntityAdmin({ ingests, retentions, tokens, isTimeZone, changed: () => definitions.refresh() }),
  }
}

function ingestAdminOf(
  { catalog: { ingests }, progress, definitions, dropped, waitingSinceMs, reach, nowMs }: ServiceParts,
  tokens: NextTokens,
): IngestAdmin {
  return new IngestAdmin({
    ...{ ingests, tokens, dropped, waitingSinceMs, reach, nowMs },
    counters: (id) => progress.counters(id),
    requireCounters: () => progress.requireCounted(),
    changed: () => definitions.refresh(),
  })
}

function rejectedAdminOf(parts: ServiceParts, { rejectedRows, pushCheck }: SharedServices): RejectedAdmin {
  const { settings, catalog, journal, progress, definitions, audit, limits, nowMs, reach } = parts
  const { ingests, rejected, quarantine } = catalog
  return new RejectedAdmin({
    ingests,
    rows: rejectedRows,
    replays: new Replays({
      ...{ rejected, quarantine, journal, progress, nowMs, reach },
      isQueryable: parts.replayIsQueryable,
      isRemovingExpired: (id) => isRemovingHourRows(definitions.entities().find((entity) => entity.id === id)),
      journaled: () => audit.setAfter(null),
    }),
    preview: new ReplayPreview({
      ...{ rejected, quarantine, check: pushCheck },
      rowsMax: settings.limits.checkRows,
      shownMax: previewRowsMax,
    }),
    discarded: () => limits.rejectedSpace.refresh(),
  })
}

/** Time limit of the search for a hook's tag. */
const hookTagMs = 10_000

function hookAdminOf(
  { settings, catalog: { hooks }, definitions, nowMs }: ServiceParts,
  { tokens, tagLists }: SharedServices,
): HookAdmin {
  return new HookAdmin({
    ...{ hooks, tokens, definitions, nowMs },
    hasTag: async (entity, tag) => {
      const request = { ids: [tag], limit: 1, after: null }
      const { tags } = await tagLists.page(entity, request, AbortSignal.timeout(hookTagMs), itself)
      return tags.length > 0
    },
    privateAddresses: settings.hooks.privateAddresses,
  })
}

const isTimeZone = (name: string): boolean => /^[A-Za-z]/.test(name) && Zone.find(name) !== null

function deletionAdminOf(parts: ServiceParts, tokens: NextTokens): DeletionAdmin {
  const { deletions, definitions, audit, nowMs } = parts
  const { ingestWaitMs: validationWaitMs, queryTimeMs: waitMs, deletions: deletionsMax } = parts.settings.limits
  return new DeletionAdmin({
    ...deletions,
    ...{ definitions, tokens, nowMs },
    setAfter: (after) => audit.setAfter(after),
    settings: { validationWaitMs, waitMs, deletionsMax },
  })
}

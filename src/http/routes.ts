import type { Route } from './route.ts'
import { deleteDruidQuery } from './routes/delete-druid-query.ts'
import { deleteIngest } from './routes/delete-ingest.ts'
import { deleteKey } from './routes/delete-key.ts'
import { deleteMetadataItem } from './routes/delete-metadata-item.ts'
import { deleteOwnRejected } from './routes/delete-own-rejected.ts'
import { deleteRejected } from './routes/delete-rejected.ts'
import { deleteSetAside } from './routes/delete-set-aside.ts'
import { deleteSubscriber } from './routes/delete-subscriber.ts'
import { getAdminEntities } from './routes/get-admin-entities.ts'
import { getBackups } from './routes/get-backups.ts'
import { getBatch } from './routes/get-batch.ts'
import { getBatches } from './routes/get-batches.ts'
import { getDocs } from './routes/get-docs.ts'
import { getDruidDatasource } from './routes/get-druid-datasource.ts'
import { getDruidDatasources } from './routes/get-druid-datasources.ts'
import { getDruidHealth } from './routes/get-druid-health.ts'
import { getDruidStatus } from './routes/get-druid-status.ts'
import { getEntities } from './routes/get-entities.ts'
import { getHealth } from './routes/get-health.ts'
import { getInfluxHealth } from './routes/get-influx-health.ts'
import { getIngest } from './routes/get-ingest.ts'
import { getIngests } from './routes/get-ingests.ts'
import { getMetadataItems } from './routes/get-metadata-items.ts'
import { getMetrics } from './routes/get-metrics.ts'
import { getOpenapi } from './routes/get-openapi.ts'
import { getOwnBatches } from './routes/get-own-batches.ts'
import { getOwnIngest } from './routes/get-own-ingest.ts'
import { getOwnRejected } from './routes/get-own-rejected.ts'
import { getOwnSummary } from './routes/get-own-summary.ts'
import { getPing } from './routes/get-ping.ts'
import { getPortal } from './routes/get-portal.ts'
import { getReadiness } from './routes/get-readiness.ts'
import { getRejected } from './routes/get-rejected.ts'
import { getRejectedSummary } from './routes/get-rejected-summary.ts'
import { getRoot } from './routes/get-root.ts'
import { getSetAside } from './routes/get-set-aside.ts'
import { getSetAsideBody } from './routes/get-set-aside-body.ts'
import { getSettings } from './routes/get-settings.ts'
import { getStorage } from './routes/get-storage.ts'
import { getSubscribers } from './routes/get-subscribers.ts'
import { getSubscription } from './routes/get-subscription.ts'
import { getSubscriptions } from './routes/get-subscriptions.ts'
import { getTags } from './routes/get-tags.ts'
import { patchEntity } from './routes/patch-entity.ts'
import { patchIngest } from './routes/patch-ingest.ts'
import { postAvatica } from './routes/post-avatica.ts'
import { postAverage } from './routes/post-average.ts'
import { postAverageDimensions } from './routes/post-average-dimensions.ts'
import { postAverageGranularity } from './routes/post-average-granularity.ts'
import { postBackup } from './routes/post-backup.ts'
import { postCheck } from './routes/post-check.ts'
import { postDruidNative } from './routes/post-druid-native.ts'
import { postDruidSql } from './routes/post-druid-sql.ts'
import { postInfluxQuery } from './routes/post-influx-query.ts'
import { postIngest } from './routes/post-ingest.ts'
import { postKey } from './routes/post-key.ts'
import { postLast } from './routes/post-last.ts'
import { postLatest } from './routes/post-latest.ts'
import { postLines } from './routes/post-lines.ts'
import { postMetadataDescriptions } from './routes/post-metadata-descriptions.ts'
import { postMetadataItems } from './routes/post-metadata-items.ts'
import { postNativeQuery } from './routes/post-native-query.ts'
import { postNext } from './routes/post-next.ts'
import { postPush } from './routes/post-push.ts'
import { postReplay } from './routes/post-replay.ts'
import { postReplayPreview } from './routes/post-replay-preview.ts'
import { postSelect } from './routes/post-select.ts'
import { postSnap } from './routes/post-snap.ts'
import { postSqlQuery } from './routes/post-sql-query.ts'
import { postSubscriber } from './routes/post-subscriber.ts'
import { putSubscriptions } from './routes/put-subscriptions.ts'

/** All endpoints, in the order of the OpenAPI document. */
export const routes: readonly Route[] = [
  postAverage,
  postAverageDimensions,
  postAverageGranularity,
  postNativeQuery,
  getEntities,
  getTags,
  postLast,
  postLatest,
  postNext,
  postSelect,
  postSnap,
  postSqlQuery,
  postDruidNative,
  postDruidSql,
  deleteDruidQuery,
  getDruidDatasources,
  getDruidDatasource,
  getDruidStatus,
  getDruidHealth,
  postAvatica,
  postMetadataDescriptions,
  getMetadataItems,
  postMetadataItems,
  postPush,
  postLines,
  getPing,
  getInfluxHealth,
  postInfluxQuery,
  postCheck,
  getBatch,
  getOwnIngest,
  getOwnRejected,
  getOwnSummary,
  deleteOwnRejected,
  getOwnBatches,
  getSubscription,
  postIngest,
  getIngests,
  getIngest,
  patchIngest,
  deleteIngest,
  getRejected,
  getRejectedSummary,
  deleteRejected,
  postReplay,
  postReplayPreview,
  getBatches,
  getSetAside,
  getSetAsideBody,
  deleteSetAside,
  deleteMetadataItem,
  postSubscriber,
  getSubscribers,
  deleteSubscriber,
  postKey,
  deleteKey,
  putSubscriptions,
  getSubscriptions,
  getAdminEntities,
  getStorage,
  patchEntity,
  postBackup,
  getBackups,
  getSettings,
  getHealth,
  getReadiness,
  getMetrics,
  getRoot,
  getOpenapi,
  getDocs,
  getPortal,
]

/** The endpoints of a process that takes no requests: how it is. */
export const stateRoutes: readonly Route[] = [getHealth, getReadiness, getMetrics]

import type { Route } from './route.ts'
import { getAudit } from './routes/audit.ts'
import { postAvatica } from './routes/avatica.ts'
import { getBackups, postBackup } from './routes/backups.ts'
import { postCheck } from './routes/check.ts'
import {
  postAggregate,
  postAverage,
  postAverageDimensions,
  postAverageGranularity,
  postLast,
  postLatest,
  postNativeQuery,
  postNext,
  postPlot,
  postSelect,
  postSnap,
  postSqlQuery,
  postStates,
} from './routes/data-queries.ts'
import { deleteDeletion, getDeletions, postDeletion } from './routes/deletions.ts'
import { getDruidDatasource, getDruidDatasources, getDruidHealth, getDruidStatus } from './routes/druid-datasources.ts'
import { postDruidNative } from './routes/druid-native.ts'
import { deleteDruidQuery, postDruidSql } from './routes/druid-sql.ts'
import { getAdminEntities, getEntities, getTags, patchEntity } from './routes/entities.ts'
import { deleteHook, getDeliveries, getHook, getHooks, putHook } from './routes/hooks.ts'
import { i3xRoutes } from './routes/i3x.ts'
import { i3xSubscriptionRoutes } from './routes/i3x-subscriptions.ts'
import { influxQuery } from './routes/influx-query.ts'
import { deleteIngest, getIngest, getIngests, patchIngest, postIngest } from './routes/ingests.ts'
import { getInfluxHealth, getPing, postLines } from './routes/lines.ts'
import { getLive } from './routes/live.ts'
import { postMcp } from './routes/mcp.ts'
import { deleteMetadataItem, getMetadataItems, postMetadataDescriptions, postMetadataItems } from './routes/metadata.ts'
import {
  deleteOwnRejected,
  getBatch,
  getOwnBatches,
  getOwnIngest,
  getOwnRejected,
  getOwnSummary,
} from './routes/own-rows.ts'
import { getDocs, getOpenapi, getPortal, getRoot } from './routes/pages.ts'
import { postPush } from './routes/pushes.ts'
import { deleteQuarantined, getQuarantine, getQuarantineBody } from './routes/quarantine.ts'
import {
  deleteRejected,
  getBatches,
  getRejected,
  getRejectedSummary,
  postReplay,
  postReplayPreview,
} from './routes/rejected.ts'
import { getHealth, getMetrics, getReadiness, getSettings, getStorage } from './routes/state.ts'
import {
  deleteKey,
  deleteSubscriber,
  getSubscribers,
  getSubscription,
  getSubscriptions,
  postKey,
  postSubscriber,
  putSubscriptions,
} from './routes/subscribers.ts'
import { deleteView, getView, getViews, putView } from './routes/views.ts'

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
  postAggregate,
  postPlot,
  postStates,
  getLive,
  postSqlQuery,
  postDruidNative,
  postDruidSql,
  deleteDruidQuery,
  getDruidDatasources,
  getDruidDatasource,
  getDruidStatus,
  getDruidHealth,
  postAvatica,
  postMcp,
  i3xRoutes,
  i3xSubscriptionRoutes,
  postMetadataDescriptions,
  getMetadataItems,
  postMetadataItems,
  getViews,
  getView,
  putView,
  deleteView,
  postPush,
  postLines,
  getPing,
  getInfluxHealth,
  influxQuery,
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
  getQuarantine,
  getQuarantineBody,
  deleteQuarantined,
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
  postDeletion,
  getDeletions,
  deleteDeletion,
  postBackup,
  getBackups,
  getSettings,
  getAudit,
  putHook,
  getHooks,
  getHook,
  deleteHook,
  getDeliveries,
  getHealth,
  getReadiness,
  getMetrics,
  getRoot,
  getOpenapi,
  getDocs,
  getPortal,
]

/** The endpoints of a process that serves no other requests: its state. */
export const stateRoutes: readonly Route[] = [getHealth, getReadiness, getMetrics]

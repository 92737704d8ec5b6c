import { getBatch } from './routes/get-batch.ts'
import { getEntities } from './routes/get-entities.ts'
import { getHealth } from './routes/get-health.ts'
import { getMetrics } from './routes/get-metrics.ts'
import { getOpenapi } from './routes/get-openapi.ts'
import { getReadiness } from './routes/get-readiness.ts'
import { getSubscription } from './routes/get-subscription.ts'
import { postAverage } from './routes/post-average.ts'
import { postAverageDimensions } from './routes/post-average-dimensions.ts'
import { postAverageGranularity } from './routes/post-average-granularity.ts'
import { postLast } from './routes/post-last.ts'
import { postLatest } from './routes/post-latest.ts'
import { postNext } from './routes/post-next.ts'
import { postPush } from './routes/post-push.ts'
import { postSelect } from './routes/post-select.ts'
import { postSnap } from './routes/post-snap.ts'
import type { Route } from './services.ts'

/** All endpoints, in the order of the OpenAPI document. */
export const routes: readonly Route[] = [
  postAverage,
  postAverageDimensions,
  postAverageGranularity,
  getEntities,
  postLast,
  postLatest,
  postNext,
  postSelect,
  postSnap,
  postPush,
  getBatch,
  getSubscription,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenapi,
]

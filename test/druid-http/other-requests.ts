// Requests that tools send to discover a server, and paths that do not exist.
import { differences as d } from './differences.ts'
import { type Asked, bare } from './request.ts'

export const otherRequests: readonly Asked[] = [
  bare('GET', '/status/health'),
  bare('GET', '/status', d.status),
  bare('GET', '/druid/v2/datasources'),
  bare('GET', '/druid/v2/datasources/'),
  bare('GET', '/druid/v2/datasources/plant', d.sourceOptions),
  bare('GET', '/druid/v2/datasources/plant?full', d.sourceOptions),
  bare('GET', '/druid/v2/datasources/plant?interval=2026-01-01/2026-01-04', d.nameOrder),
  bare('GET', '/druid/v2/datasources/plant/dimensions', d.sourceOptions),
  bare('GET', '/druid/v2/datasources/plant/metrics', d.sourceOptions),
  bare('GET', '/druid/v2/datasources/nothing', d.unknownSource),
  bare('DELETE', '/druid/v2/nothing', d.unknownId),
  bare('DELETE', '/druid/v2/sql/nothing', d.errorBody),
  bare('GET', '/druid/v2/sql', d.errorBody),
  bare('GET', '/druid/v2', d.errorBody),
  bare('PUT', '/druid/v2', d.errorBody),
  bare('GET', '/druid/v2/nothing/at/all', d.errorBody),
]

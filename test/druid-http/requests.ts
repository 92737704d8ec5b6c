// The table of all requests that are sent to both servers.
import { nativeRequests } from './native-requests.ts'
import { otherRequests } from './other-requests.ts'
import type { Asked } from './request.ts'
import { sqlRequests } from './sql-requests.ts'

export const requests: readonly Asked[] = [...sqlRequests, ...nativeRequests, ...otherRequests]

// Restores a replica, and ends as a power cut does at a step: replica-restore-kill-at-step.mjs <url> <data>.
import { restoreFromReplica } from '../../../src/service/replicas.ts'
import { killAtStep } from './kill-at-step.mjs'

const [url, data] = process.argv.slice(2)
const events = { reach: killAtStep(), progress: () => undefined, failed: (message) => console.error(message) }
const place = { url, endpoint: process.env.TIDEMARK_REPLICA_ENDPOINT ?? '', region: '' }
await restoreFromReplica({ ...place, data, atMs: null }, events)

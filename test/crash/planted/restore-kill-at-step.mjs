// Restores a backup, and ends as a power cut does at a step: restore-kill-at-step.mjs <backup> <data>.
import { restoreBackup } from '../../../dist/admin/restore.js'
import { nodeDisk } from '../../../dist/lib/node-disk.js'
import { killAtStep } from './kill-at-step.mjs'

const [backup, data] = process.argv.slice(2)
await restoreBackup({ backup, data }, { disk: nodeDisk, reach: killAtStep() })

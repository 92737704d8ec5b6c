// Restores a backup, and ends as a power cut does at a step: restore-kill-at-step.mjs <backup> <data>.
import { restoreBackup } from '../../../src/admin/restore.ts'
import { nodeDisk } from '../../../src/lib/node-disk.ts'
import { killAtStep } from './kill-at-step.mjs'

const [backup, data] = process.argv.slice(2)
await restoreBackup({ backup, data }, { disk: nodeDisk, reach: killAtStep() })

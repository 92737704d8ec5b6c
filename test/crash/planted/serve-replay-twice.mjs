// Serves with a planted bug, and ends at a step of either thread: see replay-twice-thread.mjs.
import { serve } from '../../../src/service/serve.ts'
import { flagsOf } from './flags.mjs'
import { killAtStep } from './kill-at-step.mjs'

const threadUrl = new URL('./replay-twice-thread.mjs', import.meta.url)
const overrides = { threadUrl, reach: killAtStep() }
process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides })

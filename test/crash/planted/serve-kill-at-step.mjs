// Serves, and ends as a power cut does at a step of either thread: see kill-at-step.mjs.
import { serve } from '../../../src/service/serve.ts'
import { flagsOf } from './flags.mjs'
import { killAtStep } from './kill-at-step.mjs'

const threadUrl = new URL('./kill-at-step-thread.mjs', import.meta.url)
const overrides = { threadUrl, reach: killAtStep() }
process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides })

// Serves with a store that some rows end: see dies-on-entry-thread.mjs.
import { serve } from '../../../src/service/serve.ts'
import { flagsOf } from './flags.mjs'

const threadUrl = new URL('./dies-on-entry-thread.mjs', import.meta.url)
process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides: { threadUrl } })

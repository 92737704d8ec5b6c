// Serves with a planted bug: see begin-early-thread.mjs.
import { serve } from '../../../src/service/serve.ts'
import { flagsOf } from './flags.mjs'

const threadUrl = new URL('./begin-early-thread.mjs', import.meta.url)
process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides: { threadUrl } })

// Serves with a planted bug: see piece-twice-thread.mjs.
import { serve } from '../../../src/service/serve.ts'
import { flagsOf } from './flags.mjs'

const threadUrl = new URL('./piece-twice-thread.mjs', import.meta.url)
process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides: { threadUrl } })

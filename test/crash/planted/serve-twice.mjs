// Serves with a planted bug: see apply-twice-thread.mjs.
import { serve } from '../../../dist/serve.js'

const flags = Object.fromEntries(
  process.argv
    .slice(3)
    .map((argument, index, all) => [argument.replace(/^--/, ''), all[index + 1]])
    .filter((_, index) => index % 2 === 0),
)
const threadUrl = new URL('./apply-twice-thread.mjs', import.meta.url)
process.exitCode = await serve({ flags, environment: process.env, overrides: { threadUrl } })

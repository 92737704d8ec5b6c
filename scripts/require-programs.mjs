// Exits with 1 and says what to install if a program that tests start is missing. `node scripts/require-programs.mjs chromium mosquitto`
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const chromium = process.env['TIDEMARK_CHROMIUM'] ?? '/usr/bin/chromium'
const runs = (name) => !spawnSync(name, ['--help']).error

const programs = {
  chromium: {
    isThere: () => existsSync(chromium),
    advice: `There is no Chromium at ${chromium}. Install it (on Debian: apt-get install chromium), or name another in TIDEMARK_CHROMIUM.`,
  },
  mosquitto: {
    isThere: () => runs('mosquitto') && runs('mosquitto_pub'),
    advice: 'There is no mosquitto. Install it (on Debian: apt-get install mosquitto mosquitto-clients).',
  },
}

const missing = process.argv.slice(2).filter((name) => !programs[name].isThere())
for (const name of missing) console.error(programs[name].advice)
process.exitCode = missing.length > 0 ? 1 : 0

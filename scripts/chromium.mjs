// Sees to it that there is a Chromium for the tests of the portal: Debian's package, installed where that may be done.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const path = process.env['TIDEMARK_CHROMIUM'] ?? '/usr/bin/chromium'

function install() {
  const quiet = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  const done = (...words) => spawnSync('apt-get', ['-qq', ...words], quiet).status === 0
  return done('update') && done('install', '-y', 'chromium')
}

if (!existsSync(path)) {
  const root = process.getuid?.() === 0
  if (!root || !existsSync('/usr/bin/apt-get') || !install()) {
    console.error(
      `There is no Chromium at ${path}. Install Debian's package chromium, or name another in TIDEMARK_CHROMIUM.`,
    )
    process.exit(1)
  }
}

// Debian's packages that the cluster needs: installed where we may, named where we may not.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Installs packages, and throws with `advice` where that cannot be: another system, or not root. */
export function install(packages, advice) {
  if (process.getuid() !== 0 || !existsSync('/usr/bin/apt-get')) throw new Error(advice)
  console.log(`installing ${packages.join(', ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const step of [
    ['update', '-q'],
    ['install', '-q', '-y', '--no-install-recommends', ...packages],
  ]) {
    const { status } = spawnSync('apt-get', step, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) throw new Error(`apt-get ${step[0]} failed: see above. ${advice}`)
  }
}

// Sees to it that there is a mosquitto for the tests of MQTT: Debian's packages, installed where that may be done.
import { spawnSync } from 'node:child_process'

const isThere = () => ['mosquitto', 'mosquitto_pub'].every((name) => !spawnSync(name, ['--help']).error)

function install() {
  const quiet = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  const done = (...words) => spawnSync('apt-get', ['-qq', ...words], quiet).status === 0
  return done('update') && done('install', '-y', 'mosquitto', 'mosquitto-clients')
}

if (!isThere() && (process.getuid?.() !== 0 || !install() || !isThere())) {
  console.error("There is no mosquitto. Install Debian's packages mosquitto and mosquitto-clients.")
  process.exit(1)
}

import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

function cluster(what: string): { readonly ok: boolean; readonly output: string } {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/cluster/main.mjs', what], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { ok: status === 0, output: stdout }
}

/** Starts the cluster, and stops it afterwards unless it was already running. */
export default function setup(): (() => Promise<void>) | undefined {
  const addresses: Record<string, string> = JSON.parse(cluster('addresses').output)
  for (const [name, address] of Object.entries(addresses)) process.env[name] ??= address
  if (cluster('status').ok) return undefined
  if (!cluster('start').ok) {
    cluster('stop')
    throw new Error('the cluster did not start: see above')
  }
  // Asynchronous, because vitest must be able to handle the exits of its own processes meanwhile.
  return async () => {
    await promisify(execFile)(process.execPath, ['scripts/cluster/main.mjs', 'stop'])
  }
}

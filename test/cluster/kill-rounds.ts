// Clients push while processes of a cluster and the servers below it are killed and restarted; afterwards every acknowledged push must be stored
// exactly once.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Findings, Pushers, validate } from '../crash/kill-rounds.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../support/cluster-under-test.ts'
import { seededRandom } from '../support/random.ts'
import { adminKey, programPath, ServerProcess } from '../support/server-process.ts'
import { untilStatus } from './scenarios-over-http.ts'

const run = promisify(execFile)

/** The process to kill: one of ours, or a server by its name in `npm run cluster`. */
export type Victim = 'api' | 'pipeline' | 'kafka' | 'indexer' | 'broker' | 'coordinator' | 'postgres'

export interface ClusterKillOptions {
  readonly victims: readonly Victim[]
  readonly clients: number
  readonly seed: number
  /** Another program for the role `pipeline`, with a planted bug. */
  readonly pipelineProgram?: string
  /** The time within which everything must recover. */
  readonly recoveryMs?: number
}

/** Kills each victim in turn at a random moment, and reports the stored rows after recovery. */
export async function clusterKillRounds(options: ClusterKillOptions): Promise<Findings> {
  const { victims, clients, seed, pipelineProgram = programPath, recoveryMs = 180_000 } = options
  const random = seededRandom(seed)
  const name = newClusterName()
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-kill-'))
  const start = (role: 'api' | 'pipeline'): Promise<ServerProcess> => {
    const environment = { ...clusterEnvironment(name), TIDEMARK_ROLE: role, TIDEMARK_KAFKA_SESSION_TIMEOUT_MS: '6000' }
    return ServerProcess.start({
      dataDirectory,
      environment,
      ...(role === 'pipeline' ? { program: pipelineProgram } : {}),
    })
  }
  const servers = { api: await start('api'), pipeline: await start('pipeline') }
  const pushers = new Pushers(random)
  try {
    const key = await makeIngest(servers.api.url, adminKey, { alias: 'kill' })
    await untilQueryable(servers.api.url, key, recoveryMs)
    for (const victim of victims) {
      const running = pushers.run(servers.api.url, key, clients)
      await sleep(300 + random.below(1500))
      if (victim === 'api' || victim === 'pipeline') {
        await servers[victim].kill()
        servers[victim] = await start(victim)
      } else {
        await run(process.execPath, ['scripts/cluster/main.mjs', 'kill', victim])
        await run(process.execPath, ['scripts/cluster/main.mjs', 'start', victim])
      }
      await sleep(random.below(1000))
      pushers.stop()
      await running
      await untilQueryable(servers.api.url, key, recoveryMs)
    }
    await untilStatus(200, recoveryMs, servers.api.url, 'GET', '/readyz')
    return await validate(seed, pushers.batches, servers.api.url)
  } finally {
    await Promise.all([servers.api.kill(), servers.pipeline.kill()])
    await removeCluster(name)
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

/** Waits until everything pushed before can be queried. */
async function untilQueryable(url: string, key: string, recoveryMs: number): Promise<void> {
  const deadline = performance.now() + recoveryMs
  for (let isValidated = false; ; await sleep(200)) {
    // A process that started after a push does not know of it, but a new push is validated after it.
    isValidated ||= await isReported(url, key)
    if (isValidated && (await isWhole(url))) return
    if (performance.now() > deadline) throw new Error('it did not recover')
  }
}

async function isReported(url: string, key: string): Promise<boolean> {
  const request = { key, body: [] }
  const { body } = await call<{ pending?: number }>(url, 'POST', '/ingests/kill/data?wait=true', request).catch(() => ({
    body: {} as { pending?: number },
  }))
  return body.pending === 0
}

/** Whether a query finds as many items as the counters report, with nothing pending. */
async function isWhole(url: string): Promise<boolean> {
  try {
    const path = '/admin/ingests/kill'
    const { counters } = await callOk<{ counters: { stored: number; pending: number } }>(url, 'GET', path, {
      key: adminKey,
    })
    if (counters.pending > 0) return false
    const entities = await callOk<{ entity: string; rows: number }[]>(url, 'GET', '/consumer/data/entities')
    return entities.find(({ entity }) => entity === 'kill')?.rows === counters.stored
  } catch {
    return false
  }
}

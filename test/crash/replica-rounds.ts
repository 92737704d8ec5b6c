// A service with a replica is killed under load and its folder discarded; the restored replica is compared with the acknowledged pushes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type CrashPoint, replicaCrashPoints, replicaRestoreCrashPoints } from '../../src/observe/crash-point.ts'
import type { ReplicaLocation } from '../../src/service/open-object-store.ts'
import { makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { isCopied, replicaState, replicaUrl, restoreChecked, valuesIn } from '../support/replica-world.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { allThere, type ReplicaFindings, ReplicatedPushes } from './replicated-pushes.ts'
import { restlessEnvironment } from './step-rounds.ts'

const program = testProgram('crash/serve-replica-kill-at-step')
const restoreProgram = testProgram('crash/replica-restore-kill-at-step')

export interface ReplicaRoundOptions {
  readonly directory: string
  readonly seed: number
  readonly wait: boolean
  /** A folder next to the data by default. */
  readonly place?: ReplicaLocation
}

/** Loses `rounds` machines at random moments, each of which continues from the data that the one before left. */
export async function loseAtRandom(world: ReplicaRounds, rounds: number): Promise<ReplicaFindings> {
  let findings: ReplicaFindings = { pushes: 0, rows: 0, ...allThere }
  for (let round = 0; round < rounds; round++) {
    await world.loseMachine(null)
    await world.restore()
    findings = await world.findings()
    expect({ round, ...findings }).toMatchObject(allThere)
  }
  await world.end()
  console.log({ seed: world.seed, rounds, ...findings })
  return findings
}

/** Loses a machine at each step of copying, early and late. Of the restores after them, one is first killed at each of its steps. */
export async function loseAtEachStep(world: ReplicaRounds): Promise<void> {
  for (const [index, step] of replicaCrashPoints.entries()) {
    for (const passes of [0, 3]) {
      await world.loseMachine({ step, passes: step === 'replica-claimed' ? 0 : passes })
      await world.restore(passes === 0 ? null : replicaRestoreCrashPoints[index % replicaRestoreCrashPoints.length])
      expect({ step, passes, ...(await world.findings()) }).toMatchObject(allThere)
    }
  }
}

export class ReplicaRounds {
  readonly seed: number
  readonly #wait: boolean
  readonly #random: Random
  readonly #place: ReplicaLocation
  readonly #data: string
  readonly #pushes: ReplicatedPushes
  /** The server that was last checked continues as the next one to be lost. */
  #server: ServerProcess | null = null
  #key = ''
  /** Everything acknowledged by this time was in the replica when its lag was last read. */
  #copiedMs = 0

  constructor({ directory, seed, wait, place }: ReplicaRoundOptions) {
    this.seed = seed
    this.#wait = wait
    this.#random = seededRandom(seed)
    this.#place = place ?? { url: replicaUrl(directory), endpoint: '', region: '' }
    this.#data = join(directory, 'data')
    this.#pushes = new ReplicatedPushes(this.#random, wait)
  }

  async begin(): Promise<void> {
    const server = await this.#start()
    this.#key = await makeIngest(server.url, adminKey, { alias: 'kept' })
    await isCopied(server.url)
    await server.kill()
  }

  /** Pushes until the server is killed, after a while or at a step; then discards its folder. */
  async loseMachine(
    at: { readonly step: CrashPoint; readonly passes: number } | null,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const server = await this.#serverToLose(
      at === null ? environment : { KILL_AT_STEP: `${at.step}:${at.passes}`, ...environment },
    )
    if (server !== null) {
      const pushing = this.#pushes.run(server.url, this.#key, this.#wait ? 6 : 3)
      const looking = this.#lookAtLag(server.url)
      if (at === null) await sleep(200 + this.#random.below(1500)).then(() => server.kill())
      await Promise.race([server.ended(), sleep(20_000)])
      await server.kill()
      await Promise.all([pushing, looking])
    }
    await rm(this.#data, { recursive: true })
  }

  /** The running server, or by seed one that must first take the replica over; null where it ended during its start. */
  async #serverToLose(environment: Readonly<Record<string, string>>): Promise<ServerProcess | null> {
    const running = this.#server
    this.#server = null
    if (running !== null && Object.keys(environment).length === 0 && this.#random.below(3) > 0) return running
    await running?.kill()
    return this.#start(environment).catch((error: unknown) => {
      if (String(error).includes('ended with null')) return null
      throw error
    })
  }

  /** Restores the folder from the replica. If a step is given, the restore is first killed at it. */
  async restore(step: CrashPoint | null = null): Promise<void> {
    if (step !== null) {
      const { url, endpoint } = this.#place
      const environment = { ...process.env, TIDEMARK_REPLICA_ENDPOINT: endpoint, KILL_AT_STEP: `${step}:0` }
      const child = spawn(process.execPath, [restoreProgram, url, this.#data], {
        env: environment,
        stdio: 'inherit',
      })
      await once(child, 'close')
      if (step === 'replica-restore-renamed') return
    }
    await restoreChecked(this.#place, this.#data)
  }

  /** Compares the restored rows with the expected ones, on a service that continues the replica. */
  async findings(): Promise<ReplicaFindings> {
    this.#server = await this.#start()
    return this.#pushes.validate(await valuesIn(this.#server.url), this.#copiedMs)
  }

  async end(): Promise<void> {
    await this.#server?.kill()
    this.#server = null
  }

  #start(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const replica = {
      TIDEMARK_REPLICA_URL: this.#place.url,
      TIDEMARK_REPLICA_ENDPOINT: this.#place.endpoint,
      TIDEMARK_REPLICA_INTERVAL_MS: '40',
      TIDEMARK_REPLICA_CATALOG_MS: '60',
      TIDEMARK_REPLICA_KEEP: 'PT2S',
      TIDEMARK_REPLICA_WAIT: String(this.#wait),
    }
    const all = { ...restlessEnvironment, ...replica, ...environment }
    return ServerProcess.start({ dataDirectory: this.#data, program, environment: all })
  }

  async #lookAtLag(url: string): Promise<void> {
    try {
      for (;;) {
        const askedMs = Date.now()
        const { lagMs, time } = await replicaState(url)
        if (time !== null) this.#copiedMs = askedMs - lagMs
        await sleep(20)
      }
    } catch {
      // The server is gone.
    }
  }
}

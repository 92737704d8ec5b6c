// A service with a copy is killed under load and its folder thrown away; what the copy gives is held against what was acknowledged.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type CrashPoint, copyRestoreCrashPoints, replicaCrashPoints } from '../../src/observe/crash-point.ts'
import type { CopyPlace } from '../../src/service/open-object-store.ts'
import { makeIngest } from '../support/api.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { copyState, copyUrl, isCopied, restoreWell, rowsOf, valuesIn } from '../support/replica-world.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { restlessEnvironment } from './step-rounds.ts'

const program = resolve('test/crash/planted/serve-copy-kill-at-step.mjs')
const restoreProgram = resolve('test/crash/planted/copy-restore-kill-at-step.mjs')

/** A push of one row, sent again with its key until it is acknowledged. */
interface OneRow {
  readonly value: number
  /** When, by the clock of this process; null before. */
  acknowledgedMs: number | null
}

export interface ReplicaFindings {
  readonly pushes: number
  /** Rows that were acknowledged, and must be there, and are not. */
  readonly lost: number
  readonly doubled: number
  /** Rows that nobody pushed. */
  readonly foreign: number
}

/** Nothing of what must not be. */
export const allThere = { lost: 0, doubled: 0, foreign: 0 }

export interface ReplicaRoundOptions {
  readonly directory: string
  readonly seed: number
  readonly wait: boolean
  /** A folder beside the data where it is left out. */
  readonly place?: CopyPlace
}

/** So many machines are lost at random, each time with what the one before left. */
export async function loseAtRandom(world: ReplicaRounds, rounds: number): Promise<void> {
  let pushes = 0
  for (let round = 0; round < rounds; round++) {
    await world.loseMachine(null)
    await world.restore()
    const findings = await world.findings()
    expect({ round, ...findings }).toMatchObject(allThere)
    pushes = findings.pushes
  }
  console.log({ rounds, pushes })
}

/** A machine is lost at each step of copying, soon and later; of the restores behind them, one is killed first at each of its steps. */
export async function loseAtEachStep(world: ReplicaRounds): Promise<void> {
  for (const [index, step] of replicaCrashPoints.entries()) {
    for (const passes of [0, 3]) {
      await world.loseMachine({ step, passes: step === 'replica-claimed' ? 0 : passes })
      await world.restore(passes === 0 ? null : copyRestoreCrashPoints[index % copyRestoreCrashPoints.length])
      expect({ step, passes, ...(await world.findings()) }).toMatchObject(allThere)
    }
  }
}

export class ReplicaRounds {
  readonly #options: ReplicaRoundOptions
  readonly #random: Random
  readonly #place: CopyPlace
  readonly #data: string
  #rows: OneRow[] = []
  #key = ''
  #next = 0
  /** What was there for certain at the last look at the lag: all that was acknowledged by then. */
  #copiedMs = 0

  constructor(options: ReplicaRoundOptions) {
    this.#options = options
    this.#random = seededRandom(options.seed)
    this.#place = options.place ?? { url: copyUrl(options.directory), endpoint: '', region: '' }
    this.#data = join(options.directory, 'data')
  }

  async begin(): Promise<void> {
    const server = await this.#start()
    this.#key = await makeIngest(server.url, adminKey, { alias: 'kept' })
    await isCopied(server.url)
    await server.kill()
  }

  /** Pushes until the server is killed, after a while or at a step; then its folder is thrown away. */
  async loseMachine(
    at: { readonly step: CrashPoint; readonly passes: number } | null,
    environment = {},
  ): Promise<void> {
    const kill: Record<string, string> = at === null ? {} : { KILL_AT_STEP: `${at.step}:${at.passes}` }
    const server = await this.#start({ ...kill, ...environment }).catch((error: unknown) => {
      if (String(error).includes('ended with null')) return null
      throw error
    })
    if (server !== null) {
      const clients = this.#options.wait ? 3 : 1
      const pushing = Promise.all(Array.from({ length: clients }, () => this.#push(server.url)))
      const looking = this.#lookAtLag(server.url)
      if (at === null) await sleep(200 + this.#random.below(1500)).then(() => server.kill())
      await Promise.race([server.ended(), sleep(20_000)])
      await server.kill()
      await Promise.all([pushing, looking])
    }
    await rm(this.#data, { recursive: true })
  }

  /** The folder from the copy; the restore itself is killed at a step first, where one is given. */
  async restore(step: CrashPoint | null = null): Promise<void> {
    if (step !== null) {
      const { url, endpoint } = this.#place
      const environment = { ...process.env, TIDEMARK_REPLICA_ENDPOINT: endpoint, KILL_AT_STEP: `${step}:0` }
      const child = spawn(process.execPath, [restoreProgram, url, this.#data], {
        env: environment,
        stdio: 'inherit',
      })
      await once(child, 'close')
      if (step === 'copy-restore-renamed') return
    }
    await restoreWell(this.#place, this.#data)
  }

  /** What is there, against what has to be. Without `wait` what was lost is forgotten from then on. */
  async findings(): Promise<ReplicaFindings> {
    const server = await ServerProcess.start({ dataDirectory: this.#data, environment: restlessEnvironment })
    const values = await valuesIn(server.url)
    await server.kill()
    const pushed = new Set(this.#rows.map(({ value }) => value))
    const there = new Set(values)
    const missing = this.#acknowledged().filter(({ value }) => !there.has(value))
    const lost = this.#options.wait ? missing.length : this.#lostTooMuch(missing, there)
    const findings = {
      pushes: this.#rows.length,
      lost,
      doubled: values.length - there.size,
      foreign: values.filter((value) => !pushed.has(value)).length,
    }
    if (!this.#options.wait) this.#rows = this.#rows.filter(({ value }) => there.has(value))
    return findings
  }

  #acknowledged(): (OneRow & { readonly acknowledgedMs: number })[] {
    return this.#rows.flatMap((row) =>
      row.acknowledgedMs === null ? [] : [{ ...row, acknowledgedMs: row.acknowledgedMs }],
    )
  }

  /** The copy is a prefix of what was acknowledged, and no older than the lag that was shown. */
  #lostTooMuch(missing: readonly { value: number; acknowledgedMs: number }[], there: ReadonlySet<number>): number {
    const first = missing[0]
    if (first === undefined) return 0
    const behind = this.#acknowledged().filter(({ value }) => value > first.value && there.has(value)).length
    return behind + missing.filter(({ acknowledgedMs }) => acknowledgedMs <= this.#copiedMs).length
  }

  #start(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const replica = {
      TIDEMARK_REPLICA_URL: this.#place.url,
      TIDEMARK_REPLICA_ENDPOINT: this.#place.endpoint,
      TIDEMARK_REPLICA_INTERVAL_MS: '40',
      TIDEMARK_REPLICA_CATALOG_MS: '60',
      TIDEMARK_REPLICA_KEEP: 'PT2S',
      TIDEMARK_REPLICA_WAIT: String(this.#options.wait),
    }
    const all = { ...restlessEnvironment, ...replica, ...environment }
    return ServerProcess.start({ dataDirectory: this.#data, program, environment: all })
  }

  /** Those that were not acknowledged are sent again first. */
  async #push(url: string): Promise<void> {
    for (;;) {
      const row = this.#takeRow()
      try {
        while (row.acknowledgedMs === null) {
          const response = await fetch(`${url}/ingests/kept/data`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${this.#key}`,
              'content-type': 'application/json',
              'idempotency-key': `row-${row.value}`,
            },
            body: JSON.stringify(rowsOf([row.value])),
          })
          await response.arrayBuffer()
          if (response.status === 200) row.acknowledgedMs = Date.now()
          else await sleep(20)
        }
      } catch {
        this.#taken.delete(row)
        return
      }
    }
  }

  readonly #taken = new Set<OneRow>()

  #takeRow(): OneRow {
    const again = this.#options.wait
      ? this.#rows.find((row) => row.acknowledgedMs === null && !this.#taken.has(row))
      : undefined
    const row = again ?? { value: this.#next++, acknowledgedMs: null }
    if (again === undefined) this.#rows.push(row)
    this.#taken.add(row)
    return row
  }

  async #lookAtLag(url: string): Promise<void> {
    try {
      for (;;) {
        const askedMs = Date.now()
        const { lagMs, time } = await copyState(url)
        if (time !== null) this.#copiedMs = askedMs - lagMs
        await sleep(20)
      }
    } catch {
      // The server is gone.
    }
  }
}

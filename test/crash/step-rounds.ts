// Like kill-rounds.ts, but the server ends at a step of its own work.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts'
import type { CrashPoint } from '../../src/observe/crash-point.ts'
import { call, makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { seededRandom } from '../support/random.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { type Findings, Pushers, validate } from './kill-rounds.ts'

/** Rows are sealed every few pushes, and files are merged as early as possible; some pushes are large. */
export const restlessEnvironment = {
  TIDEMARK_STORE_HEAD_ROWS: '150',
  TIDEMARK_STORE_HEAD_AGE_MS: '40',
  TIDEMARK_STORE_DAY_ROWS_MIN: '100',
  TIDEMARK_STORE_PAGE_ROWS: '64',
  TIDEMARK_STORE_RETRY_DELAY_MS: '20',
  TIDEMARK_JOURNAL_SEGMENT_BYTES: '65536',
  TIDEMARK_JOURNAL_APART_BYTES: '4096',
}

const program = testProgram('crash/serve-kill-at-step')

export interface StepRound {
  readonly step: CrashPoint
  /** The number of times that the server passes the step before it ends there. */
  readonly passes: number
}

export interface StepFindings extends Findings {
  /** Store files that are in no manifest, and unfinished backups, after the next start. */
  readonly orphans: readonly string[]
}

/** A server in its own folder that is killed at one step after another, while clients push. */
export class StepRounds {
  readonly dataDirectory: string
  readonly pushers: Pushers
  readonly #seed: number
  #key = ''
  #server: ServerProcess | null = null

  private constructor(dataDirectory: string, seed: number) {
    this.dataDirectory = dataDirectory
    this.#seed = seed
    this.pushers = new Pushers(seededRandom(seed))
  }

  static async open(seed: number): Promise<StepRounds> {
    const rounds = new StepRounds(await mkdtemp(join(tmpdir(), 'tidemark-step-')), seed)
    try {
      const server = await rounds.start()
      rounds.#key = await makeIngest(server.url, adminKey, { alias: 'kill' })
      await server.kill()
      return rounds
    } catch (error) {
      await rounds.close()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#server?.kill()
    await rm(this.dataDirectory, { recursive: true, force: true })
  }

  /** Starts the server; it must start without manual repair. */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const { dataDirectory } = this
    const all = { ...restlessEnvironment, ...environment }
    this.#server = await ServerProcess.start({ dataDirectory, program, environment: all })
    return this.#server
  }

  /** Pushes, and repeats `meanwhile`, until the server has ended at the step. */
  async endAt({ step, passes }: StepRound, meanwhile: (url: string) => Promise<unknown>): Promise<void> {
    // Some steps are reached before the server is ready.
    const server = await this.start({ KILL_AT_STEP: `${step}:${passes}` }).catch((error: unknown) => {
      if (String(error).includes('ended with null')) return null
      throw error
    })
    if (server === null) return
    let ended = false
    // The journal starts a new file only when everything in the current one is sealed, at a moment without pushes.
    const pushing =
      step === 'journal-rotated'
        ? this.#pushInBursts(server.url, () => ended)
        : this.pushers.run(server.url, this.#key, 4)
    const working = (async () => {
      while (!ended) await meanwhile(server.url).catch(() => undefined)
    })()
    await server.ended()
    ended = true
    this.pushers.stop()
    await Promise.all([pushing, working])
  }

  async #pushInBursts(url: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.pushDuring(url, () => sleep(100)).catch(() => undefined)
      await sleep(200)
    }
  }

  /** Pushes to a server until `meanwhile` resolves. */
  async pushDuring<T>(url: string, meanwhile: () => Promise<T>): Promise<T> {
    const pushing = this.pushers.run(url, this.#key, 4)
    try {
      return await meanwhile()
    } finally {
      this.pushers.stop()
      await pushing
    }
  }

  /** Starts the server as a user would after the crash, and returns the findings. */
  async findings(): Promise<StepFindings> {
    const server = await this.start()
    try {
      const findings = await validate(this.#seed, this.pushers.batches, server.url)
      return { ...findings, orphans: await this.#orphans() }
    } finally {
      // The next round needs the folder, whatever the result of this one.
      await server.kill()
    }
  }

  /** Sealing and merging continue for a moment; a real orphan stays one. */
  async #orphans(): Promise<readonly string[]> {
    let orphans = await this.#unknownFiles()
    for (let tries = 0; orphans.length > 0 && tries < 200; tries++) {
      await new Promise((next) => setTimeout(next, 25))
      orphans = await this.#unknownFiles()
    }
    return orphans
  }

  async #unknownFiles(): Promise<readonly string[]> {
    const backups = await readdir(join(this.dataDirectory, 'backups')).catch(() => [])
    const there = await readdir(join(this.dataDirectory, 'store'), { recursive: true })
    const catalog = await openSqliteCatalog({ path: join(this.dataDirectory, 'catalog.sqlite'), readOnly: true })
    const { files } = await catalog.manifest.load()
    await catalog.close()
    const known = new Set(files.map(({ entityId, name }) => `${entityId}/${name}`))
    const sealed = there.filter((name) => /\.(parquet|index|tmp)$/.test(name))
    return [
      ...sealed.filter((name) => name.endsWith('.tmp') || !known.has(name.replace(/\.\w+$/, ''))),
      ...backups.filter((name) => name.startsWith('.')),
    ]
  }
}

export async function makeBackup(url: string): Promise<string> {
  const { status, body } = await call<{ path: string }>(url, 'POST', '/admin/backups', { key: adminKey })
  if (status !== 201) throw new Error(`the backup was answered with ${status}`)
  return body.path
}

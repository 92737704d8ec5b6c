// Rows are deleted, restored and erased while the server is killed. Each deletion selects a part of the rows of one push.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call, callOk, makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { restlessEnvironment } from './step-rounds.ts'

type Answer = 'no' | 'asked' | 'yes'

/** The rows of one push. Its deletion selects those from `fromValue` on. */
interface Slice {
  readonly values: readonly number[]
  readonly fromValue: number
  pushed: boolean
  deleted: Answer
  id: number | null
  takenBack: Answer
}

interface Deletion {
  readonly id: number
  readonly reason: string
  readonly erased: string | null
}

const entity = 'corrected'
const path = `/admin/entities/${entity}/deletions`
const admin = { key: adminKey }

/** Rows are erased while the next ones are deleted. */
const environment = {
  ...restlessEnvironment,
  TIDEMARK_STORE_RETENTION_CHECK_MS: '10',
  TIDEMARK_DELETIONS_ERASE_AFTER_MS: '150',
}

export class DeletionWorld {
  readonly #dataDirectory: string
  readonly #random: Random
  readonly #slices: Slice[] = []
  #nextValue = 0
  #key = ''
  #server: ServerProcess | null = null

  private constructor(dataDirectory: string, seed: number) {
    this.#dataDirectory = dataDirectory
    this.#random = seededRandom(seed)
  }

  static async open(seed: number): Promise<DeletionWorld> {
    const world = new DeletionWorld(await mkdtemp(join(tmpdir(), 'tidemark-deletion-')), seed)
    try {
      const { url } = await world.#start()
      world.#key = await makeIngest(url, adminKey, { alias: entity })
      return world
    } catch (error) {
      await world.close()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#server?.kill()
    await rm(this.#dataDirectory, { recursive: true, force: true })
  }

  /** Two clients push and delete until the server has ended at the step. */
  async endAt(step: string, passes: number): Promise<void> {
    const server = await this.#start({ KILL_AT_STEP: `${step}:${passes}` }).catch(() => null)
    if (server === null) return
    let ended = false
    const untilItEnds = async (tag: string): Promise<void> => {
      while (!ended) await this.#deleteSome(server.url, tag).catch(() => new Promise((next) => setTimeout(next, 5)))
    }
    const working = [untilItEnds('a'), untilItEnds('b')]
    await server.ended()
    ended = true
    await Promise.all(working)
  }

  async #start(more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    await this.#server?.kill()
    this.#server = await ServerProcess.start({
      dataDirectory: this.#dataDirectory,
      program: testProgram('crash/serve-kill-at-step'),
      environment: { ...environment, ...more },
    })
    return this.#server
  }

  async #deleteSome(url: string, tag: string): Promise<void> {
    const values = Array.from({ length: 2 + this.#random.below(9) }, () => this.#nextValue++)
    const fromValue = values[this.#random.below(values.length)]!
    const slice: Slice = { values, fromValue, pushed: false, deleted: 'no', id: null, takenBack: 'no' }
    this.#slices.push(slice)
    // Few dates, so that the rows of many slices are interleaved.
    const body = values.map((V) => ({ D: new Date(Date.UTC(2026, 0, 1 + (V % 3))).toISOString(), T: tag, V }))
    slice.pushed = (await call(url, 'POST', `/ingests/${entity}/data`, { key: this.#key, body })).status === 200
    if (!slice.pushed) return
    slice.deleted = 'asked'
    const asked = { ids: [tag], where: { metric: 'V', op: '>=', value: fromValue }, reason: String(values[0]) }
    const made = await call<Deletion>(url, 'POST', path, { ...admin, body: asked })
    if (made.status === 409) {
      slice.deleted = 'no'
      return
    }
    if (made.status !== 201) throw new Error(`the deletion was answered with ${made.status}`)
    slice.deleted = 'yes'
    slice.id = made.body.id
    if (this.#random.below(2) === 0) return
    slice.takenBack = 'asked'
    const { status } = await call(url, 'DELETE', `${path}/${slice.id}`, admin)
    // It may already be erased.
    if (status === 204 || status === 409) slice.takenBack = status === 204 ? 'yes' : 'no'
  }

  /** Starts the server as a user would and returns the faults: each row must exist once, unless an active deletion selects it. */
  async faults(): Promise<readonly string[]> {
    const { url } = await this.#start()
    const standing = await this.#standing(url)
    const body = { entity, metric_name_field: ['V'] }
    const items = await callOk<readonly { readonly V: number }[]>(url, 'POST', '/consumer/data/select', { body })
    const times = new Map<number, number>()
    for (const { V } of items) times.set(V, (times.get(V) ?? 0) + 1)
    const faults: string[] = []
    for (const [value, count] of times) if (count > 1) faults.push(`row ${value} is there ${count} times`)
    for (const slice of this.#slices) {
      const { values, fromValue, pushed, deleted, takenBack } = slice
      const stands = standing.has(String(values[0]))
      const name = `the deletion of rows ${fromValue} to ${values.at(-1)}`
      if (deleted === 'yes' && takenBack === 'no' && !stands) faults.push(`${name} is not there`)
      if (takenBack === 'yes' && stands) faults.push(`${name} was taken back and is there`)
      const expected = values.filter((value) => !stands || value < fromValue)
      const there = values.filter((value) => times.has(value))
      const isWhole = there.length === expected.length && there.every((value, index) => value === expected[index])
      if (pushed ? !isWhole : there.length > 0 && !isWhole)
        faults.push(
          `of the rows ${values[0]} to ${values.at(-1)} there are ${there.join()}; ${name} ${stands ? 'stands' : 'does not stand'}`,
        )
    }
    return faults
  }

  async #standing(url: string): Promise<ReadonlySet<string>> {
    const { Items } = await callOk<{ Items: readonly Deletion[] }>(url, 'GET', `${path}?limit=10000`, admin)
    return new Set(Items.map(({ reason }) => reason))
  }
}

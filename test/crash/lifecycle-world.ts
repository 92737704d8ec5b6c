// An operator and clients of a server that is killed amid their work: fields are added and rejected rows replayed, ingests are created and dropped,
// items expire and may be kept again. Violations of the invariants are returned as a list.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts'
import { type ApiAnswer, call, callOk, makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { MovingRows, rejectedRows } from './moving-rows.ts'
import { restlessEnvironment } from './step-rounds.ts'

const endsAtStep = testProgram('crash/serve-kill-at-step')
const dayMs = 86_400_000
const entity = 'kill'
const tags = ['client 0', 'client 1', 'client 2']

interface Row {
  readonly D: string
  readonly T: string
  readonly V: number
}

interface Push {
  readonly values: readonly number[]
  acknowledged: boolean
}

/** An entity that was created to be dropped. */
interface Short {
  readonly name: string
  pushed: boolean
  /** `asked`: it may have been dropped. */
  dropped: 'no' | 'asked' | 'yes'
}

interface ExpiringRow {
  readonly value: number
  acknowledged: boolean
  hasExpired: boolean
}

export class LifecycleWorld {
  readonly #dataDirectory: string
  readonly #program: string
  readonly #random: Random
  readonly #pushes: Push[] = []
  readonly #shorts: Short[] = []
  readonly #old: ExpiringRow[] = []
  readonly #young: ExpiringRow[] = []
  /** Rows whose hours are kept: the number pushed, and the number of those acknowledged. */
  #kept = { pushed: 0, acknowledged: 0 }
  readonly #moving: MovingRows
  #key = ''
  #server: ServerProcess | null = null
  #nextValue = 0
  /** Rows have the property W<n>, which is not a field until it is added. */
  #field = 0

  private constructor(dataDirectory: string, seed: number, program: string) {
    this.#dataDirectory = dataDirectory
    this.#program = program
    this.#random = seededRandom(seed)
    this.#moving = new MovingRows(this.#random)
  }

  /** `program` serves, and ends at the step given by the variable KILL_AT_STEP. */
  static async open(seed: number, program = endsAtStep): Promise<LifecycleWorld> {
    const world = new LifecycleWorld(await mkdtemp(join(tmpdir(), 'tidemark-lifecycle-')), seed, program)
    try {
      await world.#begin()
      return world
    } catch (error) {
      await world.close()
      throw error
    }
  }

  async #begin(): Promise<void> {
    const server = await this.#start()
    this.#key = await makeIngest(server.url, adminKey, { alias: entity })
    await this.#moving.begin(server.url)
    const path = `/admin/subscribers/pusher-of-${entity}/subscriptions`
    await callOk(server.url, 'PUT', path, { key: adminKey, body: [{ ingest: '*' }] })
    await callOk(server.url, 'POST', '/admin/ingests', { key: adminKey, body: { alias: 'leaving', kind: 'series' } })
    await callOk(server.url, 'POST', '/admin/ingests', { key: adminKey, body: { alias: 'keeping', kind: 'series' } })
    await server.kill()
  }

  async close(): Promise<void> {
    await this.#server?.kill()
    await rm(this.#dataDirectory, { recursive: true, force: true })
  }

  /** All clients work until the server has ended at the step. */
  async endAt(step: string, passes: number): Promise<void> {
    // A replay that the start validates again may end the server before it is ready.
    const server = await this.#start({ KILL_AT_STEP: `${step}:${passes}` }).catch(() => null)
    if (server === null) return
    const { url } = server
    let ended = false
    const untilItEnds = async (work: () => Promise<void>): Promise<void> => {
      while (!ended) await work().catch(() => new Promise((next) => setTimeout(next, 5)))
    }
    const working = [
      ...tags.map((tag) => untilItEnds(() => this.#push(url, tag))),
      untilItEnds(() => this.#replay(url)),
      untilItEnds(() => this.#drop(url)),
      untilItEnds(() => this.#leave(url)),
      untilItEnds(() => this.#moving.move(url, this.#key)),
    ]
    await server.ended()
    ended = true
    await Promise.all(working)
  }

  /** Starts the server as a user would and returns the faults. */
  async faults(): Promise<readonly string[]> {
    const { url } = await this.#start()
    const faults = [
      ...(await this.#rowFaults(url)),
      ...(await this.#shortFaults(url)),
      ...(await this.#leavingFaults(url)),
      ...(await this.#keptFaults(url)),
      ...(await this.#moving.faults(url)),
    ]
    await this.#moving.finish(url)
    await admin(url, 'POST', `/admin/ingests/${entity}/rejected/replay`)
    await admin(url, 'PATCH', '/admin/entities/leaving', { retention: null })
    faults.push(
      ...(await this.#rowFaults(url)),
      ...(await this.#leavingFaults(url)),
      ...(await this.#moving.faults(url)),
      ...(await this.#leftovers(url)),
    )
    await this.#server?.kill()
    return faults
  }

  async #start(environment: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    await this.#server?.kill()
    const all = {
      ...restlessEnvironment,
      TIDEMARK_STORE_DAY_ROWS_MIN: '1',
      TIDEMARK_STORE_RETENTION_CHECK_MS: '10',
      ...environment,
    }
    this.#server = await ServerProcess.start({
      dataDirectory: this.#dataDirectory,
      program: this.#program,
      environment: all,
    })
    return this.#server
  }

  /** Every third row has a property that is not a field yet, and is rejected. The rows of one client share few dates. */
  async #push(url: string, tag: string): Promise<void> {
    const rows = 1 + this.#random.below(12)
    const first = this.#nextValue
    this.#nextValue += rows
    const push: Push = { values: Array.from({ length: rows }, (_, index) => first + index), acknowledged: false }
    this.#pushes.push(push)
    const body = push.values.map((V) => ({
      D: new Date(Date.UTC(2026, 0, 1 + (V % 3))).toISOString(),
      T: tag,
      V,
      ...(V % 3 === 0 ? { [`W${this.#field + 1}`]: V } : {}),
    }))
    push.acknowledged = (await this.#send(url, entity, body)).status === 200
  }

  async #replay(url: string): Promise<void> {
    this.#field++
    const field = { name: `W${this.#field}`, type: 'double', role: 'metric' }
    await admin(url, 'PATCH', `/admin/ingests/${entity}`, { add_fields: [field] })
    await admin(url, 'POST', `/admin/ingests/${entity}/rejected/replay`)
    await new Promise((next) => setTimeout(next, 60))
  }

  async #drop(url: string): Promise<void> {
    const short: Short = { name: `short${this.#shorts.length}`, pushed: false, dropped: 'no' }
    this.#shorts.push(short)
    await admin(url, 'POST', '/admin/ingests', { alias: short.name, kind: 'series' })
    const rows = [0, 1, 2].map((V) => ({ D: '2026-01-01', T: 'a', V }))
    short.pushed = (await this.#send(url, short.name, [...rows, { nonsense: 1 }])).status === 200
    await new Promise((next) => setTimeout(next, this.#random.below(80)))
    short.dropped = 'asked'
    await admin(url, 'DELETE', `/admin/ingests/${short.name}?data=drop`)
    short.dropped = 'yes'
  }

  async #leave(url: string): Promise<void> {
    const [old, young] = [
      { value: this.#nextValue++, acknowledged: false, hasExpired: false },
      { value: this.#nextValue++, acknowledged: false, hasExpired: false },
    ]
    this.#old.push(old)
    this.#young.push(young)
    const at = (ms: number, V: number): Row => ({ D: new Date(Date.now() - ms).toISOString(), T: 'a', V })
    const body = [at((10 + this.#random.below(3)) * dayMs, old.value), at(0, young.value)]
    const { status } = await this.#send(url, 'leaving', body)
    old.acknowledged = status === 200
    young.acknowledged = status === 200
    this.#kept.pushed++
    const kept = await this.#send(url, 'keeping', [at((10 + this.#random.below(3)) * dayMs, 1)])
    if (kept.status === 200) this.#kept.acknowledged++
    // Either long enough for rows to be sealed, or not.
    await new Promise((next) => setTimeout(next, this.#random.below(3) === 0 ? 20 : 1200))
    const before = this.#old.filter(({ acknowledged }) => acknowledged)
    await admin(url, 'PATCH', '/admin/entities/keeping', { retention: 'P5D', hours_retention: null })
    await admin(url, 'PATCH', '/admin/entities/leaving', { retention: 'P5D' })
    for (const one of before) one.hasExpired = true
    await new Promise((next) => setTimeout(next, this.#random.below(60)))
    await admin(url, 'PATCH', '/admin/entities/leaving', { retention: null })
  }

  #send(url: string, alias: string, body: readonly object[]): Promise<ApiAnswer<unknown>> {
    return call(url, 'POST', `/ingests/${alias}/data?wait=true`, { key: this.#key, body })
  }

  /** Each acknowledged row exists once, as an item or rejected; rows of one client and date are in the order of their pushes. */
  async #rowFaults(url: string): Promise<string[]> {
    const faults: string[] = []
    const items = await select(url, entity)
    const times = new Map<number, number>()
    const see = (value: number): void => void times.set(value, (times.get(value) ?? 0) + 1)
    const newest = new Map<string, number>()
    for (const { D, T, V } of items) {
      see(V)
      if ((newest.get(D + T) ?? -1) > V) faults.push(`item ${V} stands behind a newer one`)
      newest.set(D + T, V)
    }
    const rejected = await rejectedRows(url, entity)
    for (const { V } of rejected) see(V!)
    for (const { values, acknowledged } of this.#pushes) {
      const there = values.filter((value) => times.has(value)).length
      if (acknowledged ? there < values.length : there > 0 && there < values.length)
        faults.push(`${there} of the rows ${values[0]} to ${values.at(-1)} are there`)
    }
    for (const [value, count] of times) if (count > 1) faults.push(`row ${value} is there ${count} times`)
    const { counters } = await callOk<{ counters: object }>(url, 'GET', `/admin/ingests/${entity}`, { key: adminKey })
    const expected = { received: items.length + rejected.length, stored: items.length, rejected: rejected.length }
    const counted = JSON.stringify(counters)
    if (counted !== JSON.stringify({ ...expected, pending: 0 }))
      faults.push(`${JSON.stringify(expected)} is counted as ${counted}`)
    return faults
  }

  async #shortFaults(url: string): Promise<string[]> {
    const faults: string[] = []
    for (const { name, pushed, dropped } of this.#shorts) {
      const { status, body } = await call<Row[]>(url, 'POST', '/consumer/data/select', { body: { entity: name } })
      const isThere = status === 200
      if (dropped === 'yes' && isThere) faults.push(`${name} was dropped and is there`)
      if (dropped === 'no' && pushed && !(isThere && body.length === 3)) faults.push(`${name} has lost rows`)
      if (isThere) continue
      const made = await call(url, 'POST', '/admin/ingests', { key: adminKey, body: { alias: name, kind: 'series' } })
      if (made.status === 201 && (await select(url, name)).length > 0) faults.push(`${name} was dropped and has rows`)
      await admin(url, 'DELETE', `/admin/ingests/${name}?data=drop`)
    }
    this.#shorts.splice(0, this.#shorts.length, ...this.#shorts.filter(({ dropped }) => dropped === 'no'))
    return faults
  }

  async #leavingFaults(url: string): Promise<string[]> {
    const values = (await select(url, 'leaving')).map(({ V }) => V)
    const there = new Set(values)
    return [
      ...(there.size < values.length ? ['an item of "leaving" is there twice'] : []),
      ...this.#old
        .filter(({ value, hasExpired }) => hasExpired && there.has(value))
        .map(({ value }) => `${value} is back`),
      ...this.#young
        .filter(({ value, acknowledged }) => acknowledged && !there.has(value))
        .map(({ value }) => `${value} has left too early`),
    ]
  }

  /** Each acknowledged row is counted in an hour once, whether it has expired or not. */
  async #keptFaults(url: string): Promise<string[]> {
    const sql_query = 'SELECT COUNT(*) AS "rows", SUM(V) AS "sum" FROM keeping'
    const [{ rows, sum } = { rows: 0, sum: 0 }] = await callOk<{ rows: number; sum: number | null }[]>(
      url,
      'POST',
      '/consumer/data/sql-query',
      { body: { sql_query } },
    )
    const { pushed, acknowledged } = this.#kept
    if (rows >= acknowledged && rows <= pushed && (sum ?? 0) === rows) return []
    return [`"keeping" counts ${rows} rows of the sum ${sum}; ${acknowledged} to ${pushed} were pushed`]
  }

  /** Dropped data disappears from the disk and the catalog a moment later. */
  async #leftovers(url: string): Promise<string[]> {
    const { Items } = await callOk<{ Items: object[] }>(url, 'GET', '/admin/entities?limit=10000', { key: adminKey })
    let found: string[] = []
    for (let tries = 0; tries < 200; tries++) {
      const folders = await readdir(join(this.#dataDirectory, 'store'))
      const catalog = await openSqliteCatalog({ path: join(this.#dataDirectory, 'catalog.sqlite'), readOnly: true })
      const dropped = (await catalog.dropped.list()).filter(({ isRemoved }) => !isRemoved)
      await catalog.close()
      found = [
        ...(folders.length > Items.length ? [`${folders.length} folders of ${Items.length} entities`] : []),
        ...dropped.map(({ entityId }) => `entity ${entityId} is not removed`),
      ]
      if (found.length === 0) break
      await new Promise((next) => setTimeout(next, 25))
    }
    return found
  }
}

async function admin(url: string, method: string, path: string, body?: object): Promise<void> {
  await callOk(url, method, path, { key: adminKey, ...(body === undefined ? {} : { body }) })
}

function select(url: string, name: string): Promise<Row[]> {
  return callOk(url, 'POST', '/consumer/data/select', { body: { entity: name, metric_name_field: ['V'] } })
}

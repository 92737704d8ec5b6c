// The scenarios as a client experiences them: pushed to one process of a cluster and queried at others.
import { setTimeout as sleep } from 'node:timers/promises'
import { loadSettings } from '../../src/config/load.ts'
import { Problem, type ProblemCode, type ProblemError } from '../../src/model/problem.ts'
import type { Service } from '../../src/service/start-service.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { clusterEnvironment } from '../support/cluster-under-test.ts'
import type { Check, Given, ScenarioQuery } from '../support/scenario.ts'
import { checkElsewhere, pushedJson } from '../support/scenario-world.ts'
import { adminKey, usualEnvironment } from '../support/server-process.ts'
import { startService } from '../support/start-service.ts'

type EntityGiven = Given & { kind: 'entity' }

/** Processes that only serve queries, each with the clock and limits of a scenario. */
export class QueryServers {
  readonly #clusterName: string
  readonly #dataDirectory: string
  readonly #services = new Map<string, Promise<Service>>()

  constructor(clusterName: string, dataDirectory: string) {
    this.#clusterName = clusterName
    this.#dataDirectory = dataDirectory
  }

  async urlFor(given: readonly Given[]): Promise<string> {
    let nowMs: number | null = null
    let limits: Readonly<Record<string, number>> = {}
    for (const one of given) {
      if (one.kind === 'now') nowMs = one.ms
      if (one.kind === 'limits') limits = { ...limits, ...one.limits }
    }
    const name = JSON.stringify([nowMs, limits])
    const known = this.#services.get(name) ?? this.#start(nowMs, limits)
    this.#services.set(name, known)
    return (await known).url
  }

  async close(): Promise<void> {
    for (const service of this.#services.values()) await (await service).close()
  }

  #start(nowMs: number | null, limits: Readonly<Record<string, number>>): Promise<Service> {
    const own = Object.entries(limits).map(([limit, value]) => [`limits.${limit}`, String(value)])
    // About thirty of them run side by side, and PostgreSQL has 200 connections.
    const connections = { 'postgres.connections': '4' }
    const flags = { port: '0', data: this.#dataDirectory, role: 'api', ...connections, ...Object.fromEntries(own) }
    const environment = { ...usualEnvironment, ...clusterEnvironment(this.#clusterName) }
    const settings = loadSettings({ flags, environment, file: null })
    return startService(settings, () => undefined, nowMs === null ? {} : { nowMs: () => nowMs })
  }
}

/** One file of scenarios. Its entities have their own names in the cluster, so that files can run side by side. */
export class ScenarioRun {
  readonly #url: string
  readonly #askers: QueryServers
  readonly #prefix: string
  readonly #entities = new Map<string, { readonly given: EntityGiven; readonly key: string }>()
  #done = 0

  constructor(url: string, askers: QueryServers, prefix: string) {
    this.#url = url
    this.#askers = askers
    this.#prefix = prefix
  }

  /** Checks run in the order of the file: the data given for one exists for those after it. */
  async run(check: Check): Promise<{ readonly answered: string; readonly expected: string }> {
    for (const given of check.given.slice(this.#done)) await this.#arrange(given)
    this.#done = check.given.length
    const url = await this.#askers.urlFor(check.given)
    // Other processes learn of a new entity within moments.
    for (const name of this.#entities.keys()) while (!(await this.#isKnown(url, name))) await sleep(50)
    return checkElsewhere(check, (asked) => this.#ask(url, asked))
  }

  async #isKnown(url: string, name: string): Promise<boolean> {
    const entities = await callOk<{ entity: string }[]>(url, 'GET', '/consumer/data/entities')
    return entities.some(({ entity }) => entity === this.#prefix + name)
  }

  async #arrange(given: Given): Promise<void> {
    if (given.kind === 'entity') {
      const { name, fields, duplicates } = given
      const alias = this.#prefix + name
      this.#entities.set(name, { given, key: await makeIngest(this.#url, adminKey, { alias, fields, duplicates }) })
    } else if (given.kind === 'push') {
      const { given: entity, key } = this.#entities.get(given.entity)!
      const text = pushedJson(entity, given.table)
      const path = `/ingests/${this.#prefix}${given.entity}/data?wait=true`
      const receipt = await callOk<{ pending: number; rejected: number }>(this.#url, 'POST', path, { key, text })
      if (receipt.pending !== 0 || receipt.rejected !== 0)
        throw new Error(`a push was answered ${JSON.stringify(receipt)}`)
    }
  }

  async #ask(url: string, asked: ScenarioQuery): Promise<string> {
    if (asked.kind === 'entities') {
      const entities = await callOk<{ entity: string }[]>(url, 'GET', '/consumer/data/entities')
      return this.#plain(JSON.stringify(entities.filter(({ entity }) => entity.startsWith(this.#prefix))))
    }
    const { query, request } = asked
    const body = { ...request, entity: this.#prefix + String(request['entity']) }
    const response = await fetch(`${url}/consumer/data/${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = this.#plain(await response.text())
    if (response.ok) return text
    const { code, detail, errors } = JSON.parse(text) as {
      code: ProblemCode
      detail: string
      errors?: readonly ProblemError[]
    }
    throw new Problem(code, detail, errors === undefined ? {} : { errors })
  }

  /** The text without the entities of other files. */
  #plain(text: string): string {
    // A message lists twenty names, and all files together have more. A shortened list is replaced by the names of this file.
    const own = (names: string): string =>
      / and \d+ more$/.test(names)
        ? [...this.#entities.keys()].map((name) => `\\"${this.#prefix}${name}\\"`).join(', ')
        : names
            .split(', ')
            .filter((name) => name.includes(this.#prefix))
            .join(', ')
    return text
      .replace(/There are: ([^.]*)\./, (_, names: string) => `There are: ${own(names)}.`)
      .replaceAll(this.#prefix, '')
  }
}

/** Waits until a call returns a status; after `withinMs` throws with the last response. */
export async function untilStatus(
  status: number,
  withinMs: number,
  ...request: Parameters<typeof call>
): Promise<unknown> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await call(...request).catch((error: unknown) => ({ status: 0, body: String(error) }))
    if (answer.status === status) return answer.body
    if (performance.now() > deadline) {
      throw new Error(`${request[1]} ${request[2]}: ${answer.status} ${JSON.stringify(answer.body)}, not ${status}`)
    }
    await sleep(50)
  }
}

import type { DruidClient } from '../../../druid-client/druid-client.ts'
import { asProblem, DruidFailure } from '../../../druid-client/druid-failure.ts'
import { dataSourceName } from '../../../model/druid-row.ts'

/** Druid's management API. All requests throw Problem `unavailable` while Druid is unavailable. */
export class Management {
  readonly #client: Pick<DruidClient, 'manage'>
  readonly #clusterName: string

  constructor(client: Pick<DruidClient, 'manage'>, clusterName: string) {
    this.#client = client
    this.#clusterName = clusterName
  }

  /** The name of an entity's data source, and of its supervisor. */
  nameOf(entityId: number | ''): string {
    return dataSourceName(this.#clusterName, entityId)
  }

  /** Null for a name that is not ours. */
  entityOf(name: string): number | null {
    const prefix = this.nameOf('')
    const id = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    return /^\d+$/.test(id) ? Number(id) : null
  }

  async ask(method: 'GET' | 'POST', path: string, body: unknown = null): Promise<unknown> {
    try {
      return await this.#client.manage(method, path, body)
    } catch (error) {
      throw asProblem(error)
    }
  }

  async list(path: string): Promise<readonly unknown[]> {
    const listed = await this.ask('GET', path)
    if (!Array.isArray(listed)) throw new Error(`Druid answered ${path} with something other than a list`)
    return listed
  }

  /** Null where Druid responds with 404. */
  async orMissing(method: 'GET' | 'POST' | 'DELETE', path: string, body: unknown = null): Promise<unknown> {
    return this.unless(new Set([404]), method, path, body)
  }

  /** Null where Druid responds with one of these statuses. */
  async unless(
    statuses: ReadonlySet<number>,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body: unknown = null,
  ): Promise<unknown> {
    try {
      return await this.#client.manage(method, path, body)
    } catch (error) {
      if (!(error instanceof DruidFailure) || !statuses.has(error.facts.status)) throw asProblem(error)
      return null
    }
  }
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

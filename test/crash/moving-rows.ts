// Rows that one ingest rejects and a replay moves into another, while the server is killed; an ingest whose rows have been moved is dropped.
import { call, callOk } from '../support/api.ts'
import type { Random } from '../support/random.ts'
import { adminKey } from '../support/server-process.ts'

interface Source {
  readonly name: string
  readonly values: readonly number[]
  pushed: boolean
  /** The replay has reported that all rows are stored. */
  moved: boolean
  dropped: 'no' | 'asked' | 'yes'
}

interface RejectedPage {
  readonly Items: readonly { readonly row: string }[]
  readonly NextToken: string | null
}

const target = 'moved'
const admin = { key: adminKey }

export class MovingRows {
  readonly #sources: Source[] = []
  readonly #random: Random
  #nextValue = 0

  constructor(random: Random) {
    this.#random = random
  }

  async begin(url: string): Promise<void> {
    await callOk(url, 'POST', '/admin/ingests', { ...admin, body: { alias: target, kind: 'series' } })
  }

  /** Pushes rows into a new ingest without the field M, then moves them into one in which M is renamed to V. */
  async move(url: string, key: string): Promise<void> {
    const values = Array.from({ length: 1 + this.#random.below(9) }, () => this.#nextValue++)
    const name = `source${this.#sources.length}`
    const source: Source = { name, values, pushed: false, moved: false, dropped: 'no' }
    this.#sources.push(source)
    await callOk(url, 'POST', '/admin/ingests', { ...admin, body: { alias: name, kind: 'series' } })
    const body = values.map((M) => ({ D: '2026-01-01T00:00:00Z', T: String(M), M }))
    source.pushed = (await call(url, 'POST', `/ingests/${name}/data?wait=true`, { key, body })).status === 200
    await this.#replay(url, source)
    if (!source.moved || this.#random.below(2) === 0) return
    source.dropped = 'asked'
    await callOk(url, 'DELETE', `/admin/ingests/${name}?data=drop`, admin)
    source.dropped = 'yes'
  }

  /** Each row must be in the target ingest or in the source's rejected list. */
  async faults(url: string): Promise<readonly string[]> {
    const body = { entity: target, metric_name_field: ['V'] }
    const items = await callOk<readonly { readonly V: number }[]>(url, 'POST', '/consumer/data/select', { body })
    const times = new Map<number, number>()
    const see = (value: number): void => void times.set(value, (times.get(value) ?? 0) + 1)
    for (const { V } of items) see(V)
    const faults: string[] = []
    for (const { name, values, pushed, moved } of this.#sources) {
      if (moved && values.some((value) => !times.has(value)))
        faults.push(`rows of ${name} have moved, and are not there`)
      const isThere = (await call(url, 'GET', `/admin/ingests/${name}`, admin)).status === 200
      for (const { M } of isThere ? await rejectedRows(url, name) : []) see(M!)
      if (pushed && values.some((value) => !times.has(value))) faults.push(`rows of ${name} are lost`)
    }
    for (const [value, count] of times) if (count > 1) faults.push(`row ${value} that moves is there ${count} times`)
    return faults
  }

  /** Completes pending changes. */
  async finish(url: string): Promise<void> {
    for (const source of this.#sources) {
      if (source.dropped === 'asked') await call(url, 'DELETE', `/admin/ingests/${source.name}?data=drop`, admin)
      else if (source.dropped === 'no' && source.pushed) await this.#replay(url, source)
    }
  }

  async #replay(url: string, source: Source): Promise<void> {
    const body = { into: target, rename: { M: 'V' } }
    const path = `/admin/ingests/${source.name}/rejected/replay`
    const { stored } = await callOk<{ stored: number }>(url, 'POST', path, { ...admin, body })
    if (stored === source.values.length) source.moved = true
  }
}

/** The rejected rows of an ingest. */
export async function rejectedRows(url: string, alias: string): Promise<readonly Readonly<Record<string, number>>[]> {
  const rows: Record<string, number>[] = []
  for (let query = ''; ; ) {
    const path = `/admin/ingests/${alias}/rejected?limit=1000${query}`
    const page = await callOk<RejectedPage>(url, 'GET', path, admin)
    for (const { row } of page.Items) rows.push(JSON.parse(row) as Record<string, number>)
    if (page.NextToken === null) return rows
    query = `&NextToken=${encodeURIComponent(page.NextToken)}`
  }
}

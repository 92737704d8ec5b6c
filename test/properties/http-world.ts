// The whole service as a client uses it, on either engine. Each world has its own names in it, so that many worlds share one service.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { queryAddress } from '../../src/client/query-address.ts'
import type { EntityField } from '../../src/model/entity.ts'
import type { Field } from '../../src/model/field.ts'
import type { IngestCounters } from '../../src/model/ingest.ts'
import type { EntityStatistics } from '../../src/store/series-store.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import type { Question } from '../support/random-queries.ts'
import { adminKey } from '../support/server-process.ts'
import {
  bodyOfPush,
  type Counters,
  type Definition,
  type HistoryWorld,
  type IngestName,
  type RandomPush,
  type Retention,
  type RowPlace,
  type TextFormat,
} from './history-world.ts'

const admin = { key: adminKey }
const mediaTypes = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' } as const
/** The delay of the list of entities on a cluster and a slow machine. */
const lateMs = 30_000

interface Receipt {
  readonly batch: string
  readonly pending: number
  readonly errors: readonly { readonly index: number }[]
}

interface Rejected {
  readonly Items: readonly { readonly id: string; readonly batch: string; readonly index: number }[]
  readonly NextToken: string | null
}

interface Described {
  readonly entity: string
  readonly fields: readonly EntityField[]
  readonly rows: number
  readonly first_date: string | null
  readonly last_date: string | null
}

async function textOf(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return text
}

export class HttpWorld implements HistoryWorld {
  /** Druid sums in the order in which its parts respond. */
  readonly hasExactMeans = !onCluster
  readonly lift: (() => Promise<void>) | null
  readonly #url: () => string
  readonly #prefix: string
  readonly #keys = { first: '', second: '' }
  readonly #batches: string[] = []
  /** The ids of rejected rows by batch and index: they stay valid after the rows were replayed. */
  readonly #ids = new Map<string, string>()

  /** `url` may change when the service is restarted. `lifts`: retentions are also lifted, which takes a minute on a cluster. */
  constructor(url: () => string, prefix: string, { lifts }: { readonly lifts: boolean }) {
    this.#url = url
    this.#prefix = prefix
    this.lift = lifts ? () => this.#keepAll() : null
  }

  async define({ duplicates, fields }: Definition): Promise<void> {
    for (const name of ['first', 'second'] as const) {
      const ingest = { alias: this.#alias(name), entity: this.#entity, duplicates, fields: fields[name] }
      this.#keys[name] = await makeIngest(this.#url(), adminKey, ingest)
    }
  }

  async addFields(fields: readonly Field[]): Promise<void> {
    const path = `/admin/ingests/${this.#alias('first')}`
    await callOk(this.#url(), 'PATCH', path, { ...admin, body: { add_fields: fields } })
  }

  async push(push: RandomPush): Promise<readonly number[]> {
    const { ingest, format } = push
    const path = `/ingests/${this.#alias(ingest)}/data?wait=true`
    const pushed = { key: this.#keys[ingest], text: bodyOfPush(push), type: mediaTypes[format] }
    const { batch, pending, errors } = await callOk<Receipt>(this.#url(), 'POST', path, pushed)
    if (pending !== 0) throw new Error(`${pending ?? 'all'} rows of a push are pending still`)
    this.#batches.push(batch)
    return errors.map(({ index }) => index)
  }

  async replay(rows: readonly RowPlace[]): Promise<number> {
    await this.#learnIds()
    const ids = rows.map(({ push, index }) => this.#ids.get(`${this.#batches[push]} ${index}`)!)
    const path = `/admin/ingests/${this.#alias('first')}/rejected/replay`
    const replayed = { ...admin, body: { ids } }
    return (await callOk<{ stored: number }>(this.#url(), 'POST', path, replayed)).stored
  }

  async retain({ period }: Retention): Promise<void> {
    const path = `/admin/entities/${this.#entity}`
    await callOk(this.#url(), 'PATCH', path, { ...admin, body: { retention: period } })
  }

  /** Lifts the retention. Druid deletes expired items at its own pace, so the request is retried while the service responds with 503. */
  async #keepAll(): Promise<void> {
    const path = `/admin/entities/${this.#entity}`
    for (;;) {
      const { status, body } = await call(this.#url(), 'PATCH', path, { ...admin, body: { retention: null } })
      if (status === 200) return
      if (status !== 503) throw new Error(`PATCH ${path}: ${status} ${JSON.stringify(body)}`)
      await sleep(1000)
    }
  }

  async ask({ kind, request }: Question, format: TextFormat): Promise<string> {
    const asked = { ...request, entity: this.#entity }
    const url = `${this.#url()}/consumer/data/${kind}`
    const byBody = await textOf(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: mediaTypes[format] },
      body: JSON.stringify(asked),
    })
    const byAddress = await textOf(`${url}?${queryAddress({ ...asked, format })}`)
    // On a cluster a mean may have different digits each time.
    if (this.hasExactMeans && byAddress !== byBody) throw new Error(`by an address ${kind} answers ${byAddress}`)
    return byBody
  }

  async fields(): Promise<readonly EntityField[]> {
    return (await this.#described()).fields
  }

  async statistics(expected: EntityStatistics): Promise<EntityStatistics> {
    const instant = (text: string | null): number | null => (text === null ? null : Date.parse(text))
    for (const deadline = performance.now() + lateMs; ; await sleep(100)) {
      const { rows, first_date, last_date } = await this.#described()
      const found = { rows, firstMs: instant(first_date), lastMs: instant(last_date) }
      if (isDeepStrictEqual(found, expected) || performance.now() > deadline) return found
    }
  }

  async counters(): Promise<Counters> {
    const counters = async (name: IngestName): Promise<IngestCounters> => {
      const path = `/admin/ingests/${this.#alias(name)}`
      return (await callOk<{ counters: IngestCounters }>(this.#url(), 'GET', path, admin)).counters
    }
    return { first: await counters('first'), second: await counters('second') }
  }

  get #entity(): string {
    return this.#alias('plant')
  }

  #alias(name: string): string {
    return `${this.#prefix}_${name}`
  }

  async #described(): Promise<Described> {
    const all = await callOk<Described[]>(this.#url(), 'GET', '/consumer/data/entities')
    return all.find(({ entity }) => entity === this.#entity)!
  }

  async #learnIds(): Promise<void> {
    let token = ''
    do {
      const path = `/admin/ingests/${this.#alias('first')}/rejected?limit=100${token}`
      const { Items, NextToken } = await callOk<Rejected>(this.#url(), 'GET', path, admin)
      for (const { id, batch, index } of Items) this.#ids.set(`${batch} ${index}`, id)
      token = NextToken === null ? '' : `&NextToken=${encodeURIComponent(NextToken)}`
    } while (token !== '')
  }
}

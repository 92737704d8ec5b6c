import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { CancelsElsewhere, ClusterChangeListener, ClusterChanges } from '../cluster-catalog.ts'
import type { PartitionState } from '../partitions.ts'
import { partitionStateOf } from '../repositories/partitions.ts'
import type { Tables } from '../schema.ts'
import { CancelRequests } from './cancel-requests.ts'

/** Polling interval when no change is announced. */
const pollIntervalMs = 1000
/** Minimum pause between two polls, so that many announcements cause one poll. */
const restMs = 10
const reconnectMs = 500

interface Seen {
  definitions: number | null
  access: number | null
  partitions: string
}

/** Follows changes and requests of other processes on its own connection: when the database announces them, and every second. */
export class Changes implements ClusterChanges {
  readonly #config: pg.ClientConfig
  readonly #schema: string
  readonly #listeners: ClusterChangeListener[] = []
  readonly #seen: Seen = { definitions: null, access: null, partitions: '' }
  readonly #closing = new AbortController()
  /** Incremented by each announcement. */
  #announced = 0
  #wake = (): void => {}
  #following: Promise<void> | null = null
  readonly #cancels: CancelRequests

  constructor(config: pg.ClientConfig, schema: string) {
    this.#config = config
    this.#schema = schema
    this.#cancels = new CancelRequests(`tidemark.${schema}.cancels`, () => this.#announce())
  }

  get cancelsElsewhere(): CancelsElsewhere {
    return this.#cancels
  }

  listen(listener: ClusterChangeListener): void {
    this.#listeners.push(listener)
    // The new listener needs the initial state too.
    Object.assign(this.#seen, { definitions: null, access: null, partitions: '' })
    this.#following ??= this.#run()
    this.#announce()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#announce()
    await this.#following
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const client = new pg.Client(this.#config)
      client.on('error', () => this.#announce())
      client.on('notification', (notification) => {
        this.#cancels.onNotification(notification)
        this.#announce()
      })
      try {
        await client.connect()
        await client.query(`listen ${pg.escapeIdentifier(`tidemark.${this.#schema}`)}`)
        await this.#cancels.begin(client)
        while (!this.#closing.signal.aborted) await this.#poll(client)
      } catch {
        // Callers of the catalog get the error; here the connection is retried.
      }
      this.#cancels.end()
      // May take long if the other end is gone, so it is not awaited.
      client.end().catch(() => {})
      await sleep(reconnectMs, undefined, { signal: this.#closing.signal }).catch(() => {})
    }
  }

  /** Polls once, notifies the listeners of changes, and waits until there may be more. */
  async #poll(client: pg.Client): Promise<void> {
    const announced = this.#announced
    await this.#cancels.flush(client)
    const counters = await client.query<{ name: string; value: number }>(
      "select name, value from counters where name in ('definitions_version', 'access_version')",
    )
    const partitions = await client.query<Tables['partitions']>('select * from partitions order by partition')
    const versions = new Map(counters.rows.map(({ name, value }) => [name, value]))
    this.#notify(
      versions.get('definitions_version') ?? 0,
      versions.get('access_version') ?? 0,
      partitions.rows.map(partitionStateOf),
    )
    await sleep(restMs, undefined, { signal: this.#closing.signal }).catch(() => {})
    if (announced !== this.#announced) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollIntervalMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #notify(definitions: number, access: number, partitions: readonly PartitionState[]): void {
    const partitionText = JSON.stringify(partitions)
    const before = { ...this.#seen }
    Object.assign(this.#seen, { definitions, access, partitions: partitionText })
    for (const listener of this.#listeners) {
      if (before.definitions !== definitions) listener.definitions(definitions)
      if (before.access !== access) listener.access(access)
      if (before.partitions !== partitionText) listener.partitions(partitions)
    }
  }

  #announce(): void {
    this.#announced += 1
    this.#wake()
  }
}

// Many small worlds in few data sources, because a data source needs its own supervisor and task, which take seconds and memory.
import { Admin, Producer, stringSerializers } from '@platformatic/kafka'
import { DruidClient, type QueryLanguage, type QueryOptions } from '../../src/druid-client/druid-client.ts'
import { type ColumnVector, isNullAt, valueAt } from '../../src/model/column.ts'
import { dataSourceName, nullsColumn, positionColumn, rowsTopic, timeColumn } from '../../src/model/druid-row.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import type { RowBatch } from '../../src/model/row-batch.ts'
import { DruidStore } from '../../src/store/druid/druid-store.ts'
import { Supervisors } from '../../src/store/druid/supervision/supervisors.ts'
import type { SeriesQuerier } from '../../src/store/series-store.ts'
import type { StoreWorld } from '../contract/series-store.ts'
import { addresses } from './addresses.ts'

/** The world that a row belongs to; no field can have this name. */
const worldField: EntityField = { name: ':world', type: 'string', role: 'tag' }

interface SharedSource {
  readonly id: number
  readonly types: Map<string, EntityField>
  readonly lines: string[]
}

export class WorldsOnDruid {
  readonly #clusterName: string
  readonly #client = new DruidClient({
    queryUrl: addresses.druidBroker,
    managementUrl: addresses.druidOverlord,
    credentials: null,
    ca: null,
    connections: 8,
    managementTimeoutMs: 10_000,
  })
  readonly #supervisors: Supervisors
  readonly #sources: SharedSource[] = []

  readonly #shares: boolean

  /** Without `shares`, each entity of the only world has its own data source, as in a service. */
  constructor(clusterName: string, { shares }: { readonly shares: boolean } = { shares: true }) {
    this.#clusterName = clusterName
    this.#shares = shares
    const consumerProperties = { 'bootstrap.servers': addresses.kafkaBrokers }
    const settings = { clusterName, consumerProperties, taskCount: 1, replicas: 1, taskDurationMs: 3_600_000 }
    this.#supervisors = new Supervisors({ client: this.#client, settings, nowMs: Date.now })
  }

  /** Loads the worlds; resolves with a querier for each when all their rows can be queried. */
  async load(worlds: readonly StoreWorld[]): Promise<SeriesQuerier[]> {
    const readers = worlds.map((world, index) => {
      const places = new Map(world.entities.map((entity) => [entity.id, this.#place(entity, world, `w${index}`)]))
      return this.#reader(world, `w${index}`, places)
    })
    await this.#produce()
    await this.#supervisors.ensure(
      this.#sources.map(({ id, types }) => ({ id, fields: [...types.values()], duplicates: 'replace' })),
    )
    for (const source of this.#sources) await this.#untilCounted(source)
    return readers
  }

  /** Resolves when all rows are in published segments. */
  async publish(): Promise<void> {
    const signal = AbortSignal.timeout(600_000)
    await Promise.all(this.#sources.map(({ id }) => this.#supervisors.handOver(id, signal)))
  }

  /** The client of the Druid that has the data sources. */
  get client(): DruidClient {
    return this.#client
  }

  async close(): Promise<void> {
    for (const { id } of this.#sources) await this.#supervisors.drop(id)
    this.#client.close()
    const admin = newAdmin()
    await admin.deleteTopics({ topics: this.#topics() })
    await admin.close()
  }

  /** Adds an entity's rows to the first data source whose columns have the same types. */
  #place(entity: Entity, world: StoreWorld, name: string): SharedSource {
    const fits = ({ types }: SharedSource): boolean =>
      this.#shares && entity.fields.every((field) => (types.get(field.name) ?? field).type === field.type)
    let source = this.#sources.find(fits)
    if (source === undefined) {
      source = {
        id: this.#shares ? this.#sources.length + 1 : entity.id,
        types: new Map([[worldField.name, worldField]]),
        lines: [],
      }
      this.#sources.push(source)
    }
    // A field may be a dimension in one world and a metric in another: in Druid all are dimensions.
    for (const field of entity.fields)
      if (field.role !== 'time') source.types.set(field.name, { ...field, role: 'dimension' })
    for (const batch of world.batches) if (batch.entityId === entity.id) source.lines.push(...linesOf(batch, name))
    return source
  }

  #reader(world: StoreWorld, name: string, places: ReadonlyMap<number, SharedSource>): SeriesQuerier {
    const client = {
      query: (language: QueryLanguage, query: object, options: QueryOptions) => {
        const id = Number(/_(\d+)$/.exec(String(Reflect.get(query, 'dataSource')))?.[1])
        const source = places.get(id)
        const dataSource = source === undefined ? 'nothing' : dataSourceName(this.#clusterName, source.id)
        const inWorld = {
          type: 'equals',
          column: worldField.name,
          matchValueType: 'STRING',
          matchValue: `${name}.${id}`,
        }
        const filter: unknown = Reflect.get(query, 'filter') ?? null
        const both = filter === null ? inWorld : { type: 'and', fields: [inWorld, filter] }
        return this.#client.query(language, { ...query, dataSource, filter: both }, options)
      },
    }
    const settings = { clusterName: name, queryTimeMs: 60_000, sliceMs: 5, readRows: 10_000_000 }
    const entities = new Map(world.entities.map((entity) => [entity.id, entity]))
    return new DruidStore({ client, settings, entity: (id) => entities.get(id), nowMs: Date.now })
  }

  #topics(): string[] {
    return this.#sources.map(({ id }) => rowsTopic(this.#clusterName, id))
  }

  async #produce(): Promise<void> {
    const admin = newAdmin()
    await admin.createTopics({ topics: this.#topics(), partitions: 1, replicas: 1 })
    await admin.close()
    const producer = new Producer({
      clientId: 'tidemark-test',
      bootstrapBrokers: [addresses.kafkaBrokers],
      serializers: stringSerializers,
    })
    for (const { id, lines } of this.#sources) {
      const topic = rowsTopic(this.#clusterName, id)
      for (let from = 0; from < lines.length; from += 1000) {
        await producer.send({ messages: lines.slice(from, from + 1000).map((value) => ({ topic, value })), acks: -1 })
      }
    }
    await producer.close()
  }

  async #untilCounted({ id, lines }: SharedSource): Promise<void> {
    const settings = { clusterName: this.#clusterName, queryTimeMs: 60_000, sliceMs: 5, readRows: 10_000_000 }
    const store = new DruidStore({ client: this.#client, settings, entity: () => undefined, nowMs: Date.now })
    for (let tries = 0; tries < 600; tries++) {
      if ((await store.countPositions(id, 0, Number.MAX_SAFE_INTEGER, null)) === lines.length) return
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    throw new Error(`the ${lines.length} rows of data source ${id} did not become queryable`)
  }
}

function newAdmin(): Admin {
  return new Admin({ clientId: 'tidemark-test', bootstrapBrokers: [addresses.kafkaBrokers] })
}

function linesOf(batch: RowBatch, world: string): string[] {
  return Array.from({ length: batch.rows }, (_, row) => {
    const members = batch.fields.flatMap(({ name, role }, index) => {
      const column = batch.columns[index]
      if (isNullAt(column, row)) return []
      return [`${JSON.stringify(role === 'time' ? timeColumn : name)}:${jsonOf(column, row)}`]
    })
    const nulls = batch.fields.filter(
      (_, index) => batch.pushedNulls?.[index]?.[row] === 1 && isNullAt(batch.columns[index], row),
    )
    if (nulls.length > 0) members.push(`"${nullsColumn}":${JSON.stringify(nulls.map(({ name }) => name).join())}`)
    members.push(`"${positionColumn}":${batch.positions[row]}`, `"${worldField.name}":"${world}.${batch.entityId}"`)
    return `{${members.join()}}`
  })
}

function jsonOf(column: ColumnVector, row: number): string {
  const value = valueAt(column, row)
  if (column.type === 'long') return String(column.exact === null ? value : column.exact[row])
  return typeof value === 'boolean' ? String(Number(value)) : JSON.stringify(value)
}

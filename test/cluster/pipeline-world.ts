// A journal on Kafka, pipelines in their own processes, a catalog in PostgreSQL, and the results that they must reach.
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { ClusterCatalog } from '../../src/catalog/cluster-catalog.ts'
import { KafkaJournal } from '../../src/journal/kafka/kafka-journal.ts'
import { deleteTopic } from '../../src/kafka/topics.ts'
import { rowsTopic } from '../../src/model/druid-row.ts'
import type { Ingest } from '../../src/model/ingest.ts'
import { PartitionProgress } from '../../src/partitions/partition-progress.ts'
import { testProgram } from '../support/compiled.ts'
import { addresses } from './addresses.ts'
import { committedRecords } from './committed-records.ts'
import { kafkaAccess, kafkaUnderTest } from './kafka.ts'
import { testSchema } from './postgres-schemas.ts'

const program = testProgram('cluster/pipeline-process')
const observe = (): void => undefined

export interface WorldOptions {
  readonly partitions: number
  readonly partitionsPerEntity: number
  readonly stepBytes: number
}

export class PipelineWorld {
  readonly #options: WorldOptions
  readonly #name = `t${randomBytes(5).toString('hex')}`
  readonly #schema = testSchema()
  readonly #client = kafkaUnderTest()
  readonly #processes = new Set<ChildProcess>()
  readonly #entities = new Set<number>()
  catalog!: ClusterCatalog
  journal!: KafkaJournal
  progress!: PartitionProgress

  constructor(options: WorldOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { partitionsPerEntity } = this.#options
    this.catalog = await this.#schema.open()
    const bounds = { batchBytesMax: 1 << 22, pendingBytesMax: 1 << 28, timeoutMs: 30_000 }
    const client = kafkaUnderTest()
    this.journal = new KafkaJournal({
      client,
      topic: this.#topic,
      partitionsPerEntity,
      compression: 'none',
      ...bounds,
      observe,
    })
    await this.journal.ready(AbortSignal.timeout(30_000))
    const { changes, partitions: partitionCatalog, rejected } = this.catalog
    this.progress = new PartitionProgress({
      ...{ changes, partitions: partitionCatalog, rejected, countEveryMs: 100 },
      // Nothing reads the topics of rows here.
      isSeen: async () => true,
    })
  }

  async create(ingest: Parameters<ClusterCatalog['ingests']['create']>[0]): Promise<Ingest> {
    const created = await this.catalog.ingests.create(ingest)
    if (created.kind === 'series') this.#entities.add(created.entityId)
    return created
  }

  async startProcess(): Promise<void> {
    const { partitions, partitionsPerEntity, stepBytes } = this.#options
    const child = fork(program, [
      JSON.stringify({
        access: kafkaAccess,
        postgresUrl: addresses.postgresUrl,
        schema: this.#schema.name,
        settings: {
          clusterName: this.#name,
          topic: this.#topic.name,
          compression: 'none',
          stepBytes,
          // Few enough that steps end within pushes.
          stepRows: 40,
          timeoutMs: 10_000,
          sessionTimeoutMs: 2000,
        },
        rowsTopics: {
          clusterName: this.#name,
          partitions: Math.min(partitionsPerEntity, partitions),
          replicationFactor: 1,
          rowBytesMax: 1 << 20,
        },
      }),
    ])
    this.#processes.add(child)
    child.once('exit', () => this.#processes.delete(child))
    const ended = once(child, 'exit').then(() => {
      throw new Error('a pipeline ended before it began: its reason is in the output')
    })
    await Promise.race([once(child, 'message'), ended])
    ended.catch(() => {})
  }

  get processes(): readonly ChildProcess[] {
    return [...this.#processes]
  }

  async end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  /** The rows of an entity, as Druid would read them. */
  async rows(entityId: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const topic = rowsTopic(this.#name, entityId)
    const partitions = (await this.#client.leadersOf(topic)).length
    const values = await Promise.all(
      Array.from({ length: partitions }, (_, partition) => committedRecords(this.#client, topic, partition)),
    )
    return values.flat().flatMap((value) =>
      value
        .toString()
        .trimEnd()
        .split('\n')
        .map((line): Record<string, unknown> => JSON.parse(line)),
    )
  }

  async remove(): Promise<void> {
    await Promise.all(this.processes.map((child) => this.end(child, 'SIGKILL')))
    await this.journal.close()
    await this.progress.close()
    await this.catalog.close()
    await this.#schema.remove()
    for (const entityId of this.#entities) await deleteTopic(this.#client, rowsTopic(this.#name, entityId))
    await deleteTopic(this.#client, this.#topic.name)
    this.#client.close()
  }

  get #topic() {
    const { partitions } = this.#options
    const name = `${this.#name}.journal`
    return { name, partitions, replicationFactor: 1, bodyBytesMax: 1 << 24 }
  }
}

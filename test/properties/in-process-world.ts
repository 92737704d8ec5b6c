// The whole path without HTTP and threads, on a simulated disk: a journal, a pipeline and the embedded store. A restart reads the journal again.

import { expect } from 'vitest'
import { Admission } from '../../src/admission/admission.ts'
import { Queries } from '../../src/admission/queries.ts'
import type { ReplayedRows, ReplayOutcome } from '../../src/catalog/catalog.ts'
import { Pipeline, type Tally } from '../../src/ingest/pipeline.ts'
import { encodeReplayedRows } from '../../src/ingest/replay/replayed-rows.ts'
import { RowValidator } from '../../src/ingest/row-validator.ts'
import { openFileJournal } from '../../src/journal/file/file-journal.ts'
import { openFileJournalCursor } from '../../src/journal/file/file-journal-cursor.ts'
import type { LocalJournalWriter } from '../../src/journal/journal.ts'
import { type Entity, type EntityField, mergeFields } from '../../src/model/entity.ts'
import type { Field } from '../../src/model/field.ts'
import type { Duplicates, Ingest, IngestCounters } from '../../src/model/ingest.ts'
import type { QueryKind } from '../../src/model/query-kind.ts'
import { type DataQuestion, dataLanguage } from '../../src/query/plan-query.ts'
import type { QueryRequest } from '../../src/query/requests.ts'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { EntityStatistics } from '../../src/store/series-store.ts'
import { everyone } from '../support/everyone.ts'
import { bodyOf, inProcessRunner, noItems as noMetadata } from '../support/in-process.ts'
import { noQuarantine } from '../support/no-quarantine.ts'
import { entityName, type Question, type Times } from '../support/random-queries.ts'
import { SimulatedDisk } from '../support/simulated-disk.ts'
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

const directory = '/journal'
const settings = { segmentBytes: 20_000, batchBytesMax: 20_000, pendingBytesMax: 1_000_000, apartBytesMin: 2000 }
const ids: Readonly<Record<IngestName, number>> = { first: 1, second: 2 }

export class InProcessWorld implements HistoryWorld {
  readonly hasExactMeans = true
  /** Null, because expired rows are gone for good only when files are rewritten on a disk. */
  readonly lift = null
  readonly #times: Times
  readonly #disk = new SimulatedDisk({ below: () => 0 })
  readonly #versions: Ingest[] = []
  /** The position of each push. */
  readonly #positions: number[] = []
  /** As in the catalog: the texts of rejected rows by position, and the rows that each replay stored. */
  readonly #rejected = new Map<number, string>()
  readonly #replayed = new Map<number, readonly number[]>()
  #duplicates: Duplicates = 'keep'
  #fields: readonly EntityField[] = []
  #sinceMs: number | null = null
  #counts: Record<number, { received: number; rejected: number }> = {}
  #journal: Promise<LocalJournalWriter>
  #store: EmbeddedStore
  #pipeline: Promise<Pipeline>
  #queries: Queries<DataQuestion>

  constructor(times: Times) {
    this.#times = times
    this.#journal = this.#openJournal()
    this.#store = new EmbeddedStore({ chunkRows: 8 })
    this.#pipeline = this.#openPipeline()
    this.#queries = this.#newQueries()
  }

  async define({ duplicates, fields }: Definition): Promise<void> {
    this.#duplicates = duplicates
    for (const name of ['first', 'second'] as const) {
      this.#versions.push(ingestOf(name, 1, fields[name], duplicates))
      this.#fields = mergeFields(this.#fields, fields[name])
    }
  }

  async addFields(fields: readonly Field[]): Promise<void> {
    this.#versions.push(ingestOf('first', 2, [...this.#newest('first').fields, ...fields], this.#duplicates))
    this.#fields = mergeFields(this.#fields, fields)
  }

  async push(push: RandomPush): Promise<readonly number[]> {
    const { ingest, format, rows } = push
    const position = await this.#append(ingest, format, rows.length, Buffer.from(bodyOfPush(push)))
    this.#positions.push(position)
    return [...rows.keys()].filter((index) => this.#rejected.has(position + index))
  }

  async replay(rows: readonly RowPlace[]): Promise<number> {
    const positions = rows.map(({ push, index }) => this.#positions[push]! + index)
    const texts = positions.map((position) => ({ position, text: Buffer.from(this.#rejected.get(position)!) }))
    const position = await this.#append('first', 'replay', 0, encodeReplayedRows(texts))
    return this.#replayed.get(position)?.length ?? 0
  }

  async retain({ sinceMs }: Retention): Promise<void> {
    this.#sinceMs = sinceMs
  }

  async ask({ kind, request }: Question, format: TextFormat): Promise<string> {
    const asked = request as QueryRequest<QueryKind> & QueryRequest<'last'>
    const answer = await this.#queries.run({ kind, request: asked, format }, new AbortController().signal, everyone)
    return (await bodyOf(answer)).toString()
  }

  async fields(): Promise<readonly EntityField[]> {
    return this.#fields
  }

  statistics(): Promise<EntityStatistics> {
    return this.#store.statistics(1, this.#sinceMs, new AbortController().signal)
  }

  async counters(): Promise<Counters> {
    const counters = (name: IngestName): IngestCounters => {
      const { received, rejected } = this.#counts[ids[name]] ?? { received: 0, rejected: 0 }
      return { received, stored: received - rejected, rejected, pending: 0 }
    }
    return { first: counters('first'), second: counters('second') }
  }

  /** Opens a new store, which reads the journal from its start. */
  async restart(): Promise<void> {
    const until = (await this.#pipeline).position
    await (await this.#journal).close()
    this.#journal = this.#openJournal()
    this.#counts = {}
    this.#store = new EmbeddedStore({ chunkRows: 64 })
    this.#pipeline = this.#openPipeline()
    this.#queries = this.#newQueries()
    await this.#follow(until)
  }

  async close(): Promise<void> {
    await (await this.#journal).close()
  }

  #newest(name: IngestName): Ingest {
    return this.#versions.findLast(({ id }) => id === ids[name])!
  }

  async #append(name: IngestName, format: 'json' | 'ndjson' | 'replay', rows: number, body: Buffer): Promise<number> {
    const { id, fieldsVersion } = this.#newest(name)
    const origin = { ingestId: id, fieldsVersion, subscriberId: 1, receivedMs: 0, idempotencyKey: null }
    const journal = await this.#journal
    const position = await journal.append({ ...origin, format, rows, body })
    await this.#follow(journal.durablePosition)
    return position
  }

  async #follow(until: number): Promise<void> {
    const pipeline = await this.#pipeline
    while (pipeline.position < until) {
      const { position } = pipeline
      await pipeline.advance(until, (tallies) => this.#count(tallies))
      expect(pipeline.position).toBeGreaterThan(position)
    }
  }

  #count(tallies: readonly Tally[]): void {
    expect(tallies).not.toEqual([])
    for (const { ingestId, rows, rejected } of tallies) {
      this.#counts[ingestId] ??= { received: 0, rejected: 0 }
      this.#counts[ingestId].received += rows
      this.#counts[ingestId].rejected += rejected
    }
  }

  /** Like the catalog: a row is stored by the first replay in which it passes. */
  async #keepReplay({ position, passed }: ReplayOutcome): Promise<ReplayedRows> {
    const known = new Set([...this.#replayed.values()].flat())
    const stored = this.#replayed.get(position) ?? passed.filter((row) => !known.has(row))
    const taken = this.#replayed.has(position) ? 0 : stored.length
    this.#replayed.set(position, stored)
    return { stored, taken }
  }

  #openJournal(): Promise<LocalJournalWriter> {
    return openFileJournal({ disk: this.#disk.mount(), directory, settings, observe: () => undefined })
  }

  async #openPipeline(): Promise<Pipeline> {
    await this.#journal
    return Pipeline.open({
      journal: openFileJournalCursor({ disk: this.#disk.mount(), directory }),
      ingests: {
        findVersion: async (id, version) =>
          this.#versions.find((one) => one.id === id && one.fieldsVersion === version) ?? null,
      },
      outcomes: {
        add: async ({ rejected }) => {
          for (const { position, row } of rejected) this.#rejected.set(position, row)
        },
        replay: (outcome) => this.#keepReplay(outcome),
        rejectedIn: async () => [],
        validatedPosition: async () => 0,
      },
      dropped: { list: async () => [] },
      ...noQuarantine,
      validator: new RowValidator({ rowBytes: 1_000_000 }),
      itemValidator: { validate: noItems },
      store: this.#store,
      observe: () => undefined,
      reach: () => undefined,
      stepBytes: 4096,
      stepRows: 100,
    })
  }

  #newQueries(): Queries<DataQuestion> {
    const entity = (): Entity => ({
      id: 1,
      name: entityName,
      fields: this.#fields,
      duplicates: this.#duplicates,
      ingests: Object.keys(ids),
      retention: null,
      sinceMs: this.#sinceMs,
    })
    const room = { resultRows: 1e6, buckets: 1e6, resultBytes: 1e9 }
    const limits = { ...room, runningQueries: 1, runningSqlQueries: 1, waitingQueries: 0, queryTimeMs: 60_000 }
    const definitions = { entity, entities: () => [entity()], metadataEntity: () => undefined }
    const admission = new Admission(limits)
    const runner = inProcessRunner(this.#store)
    const nowMs = () => this.#times.nowMs
    return new Queries(dataLanguage({ definitions, items: noMetadata, runner, nowMs, limits }), { admission, limits })
  }
}

function noItems(): never {
  throw new Error('no rows of metadata are pushed')
}

function ingestOf(name: IngestName, fieldsVersion: number, fields: readonly Field[], duplicates: Duplicates): Ingest {
  return {
    id: ids[name],
    alias: name,
    kind: 'series',
    entity: entityName,
    entityId: 1,
    fields,
    fieldsVersion,
    duplicates,
    state: 'active',
    reason: null,
    createdMs: 0,
  }
}

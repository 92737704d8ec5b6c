// The whole way without HTTP: random rows pushed as JSON into a journal, judged, stored, asked for with random requests, and read as bytes
// in each format; a plain model says what must come. Then all of it again after a restart from the journal. TIDEMARK_TEST_WORLDS asks more.
import { expect, test } from 'vitest'
import { Judge } from '../../src/ingest/judge.ts'
import { openFileJournal } from '../../src/journal/file/file-journal.ts'
import { openFileJournalReader } from '../../src/journal/file/reader.ts'
import { CsvReader } from '../../src/lib/csv-reader.ts'
import type { Value } from '../../src/model/column.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import type { Duplicates, Ingest } from '../../src/model/ingest.ts'
import { formatInstant } from '../../src/model/instant.ts'
import { outputFields } from '../../src/model/plan.ts'
import { Queries } from '../../src/query/queries.ts'
import type { AnswerFormat } from '../../src/query/query-runner.ts'
import type { QueryKind, QueryRequest } from '../../src/query/requests.ts'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { bodyOf, inProcessRunner } from '../support/in-process.ts'
import { itemOf, ModelStore, type ResultRow } from '../support/model-store.ts'
import {
  dateText,
  oneOf,
  originMs,
  type Question,
  randomMs,
  randomQuestion,
  spanMs,
} from '../support/random-queries.ts'
import { type Draw, drawFrom, type RandomEntity, randomEntity } from '../support/random-rows.ts'
import { SimulatedDisk } from '../support/simulated-disk.ts'

const worlds = Number(process.env['TIDEMARK_TEST_WORLDS'] ?? 60)
const questionsOfWorld = 20
const nowMs = originMs + spanMs / 2
const directory = '/journal'
const settings = { segmentBytes: 20_000, batchBytesMax: 20_000, pendingBytesMax: 1_000_000 }

const texts = ['', 'a', 'ab', 'a%', 'b_', 'é', '\uffff', '\u{1f600}', 'a"\\\n,']
const longs = [0, -1, 7, 9007199254740993n, -9223372036854775808n, 9223372036854775807n]
const doubles = [0, 1.5, -2.25, 1e300, -1e300, 5e-324, 0.1]

function randomValue(draw: Draw, type: EntityField['type']): Value {
  if (draw(4) === 0) return null
  switch (type) {
    case 'timestamp':
      return randomMs(draw)
    case 'long':
      return oneOf(draw, longs)
    case 'double':
      return oneOf(draw, doubles)
    case 'boolean':
      return draw(2) === 0
    default:
      return oneOf(draw, texts)
  }
}

type Row = Record<string, Value>

function randomRow(draw: Draw, { time, tags, others }: RandomEntity, aboutMs: number): Row {
  const ms = draw(5) === 0 ? randomMs(draw) : aboutMs
  const row: Row = { [time.name]: ms }
  for (const tag of tags) row[tag.name] = oneOf(draw, texts)
  for (const { name, type } of others) if (draw(5) > 0) row[name] = randomValue(draw, type)
  return row
}

/** As it is pushed: dates in any form, properties that are null or absent. */
function pushedJson(draw: Draw, row: Row, types: ReadonlyMap<string, EntityField['type']>): string {
  const members = Object.entries(row).map(([name, value]) => {
    const isDate = types.get(name) === 'timestamp' && value !== null
    const text = isDate ? JSON.stringify(dateText(draw, Number(value))) : jsonOf(value)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${members.join(',')}}`
}

function jsonOf(value: Value): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}

class World {
  readonly entity: RandomEntity
  readonly model = new ModelStore()
  readonly #disk = new SimulatedDisk({ below: () => 0 })
  readonly #draw: Draw
  readonly #ingest: Ingest
  #store: EmbeddedStore
  #position = 0
  #queries: Queries

  constructor(draw: Draw) {
    this.#draw = draw
    this.entity = randomEntity(draw)
    const fields = [this.entity.time, ...this.entity.tags, ...this.entity.others]
    this.#ingest = ingestOf(fields, draw(3) === 0 ? 'replace' : 'keep')
    this.#store = new EmbeddedStore({ generationRows: 8 })
    this.#queries = this.#newQueries()
  }

  /** Pushes all batches; what is stored is also in the model. */
  async push(batches: number): Promise<void> {
    const journal = await openFileJournal({ disk: this.#disk.mount(), directory, settings, observe: () => undefined })
    const types = new Map(this.#ingest.fields.map(({ name, type }) => [name, type]))
    for (let batch = 0; batch < batches; batch++) {
      const rows = Array.from({ length: 1 + this.#draw(30) }, () =>
        randomRow(this.#draw, this.entity, originMs + Math.floor((batch * spanMs) / batches / 1000) * 1000),
      )
      const body = Buffer.from(`[${rows.map((row) => pushedJson(this.#draw, row, types)).join(',')}]`)
      const position = await journal.append({
        ingestId: 1,
        fieldsVersion: 1,
        subscriberId: 1,
        receivedMs: 0,
        format: 'json',
        idempotencyKey: null,
        rows: rows.length,
        body,
      })
      for (const [index, values] of rows.entries()) {
        const item = this.#ingest.duplicates === 'replace' ? { item: itemOf(this.#ingest.fields, values) } : {}
        this.model.writeRow({ entityId: 1, position: position + index, values, ...item })
      }
      await this.#follow(journal.durablePosition)
    }
    await journal.close()
  }

  /** A new store, which reads the journal from its beginning. */
  async restart(): Promise<void> {
    const until = this.#position
    this.#store = new EmbeddedStore({ generationRows: 64 })
    this.#position = 0
    this.#queries = this.#newQueries()
    await this.#follow(until)
  }

  async ask({ kind, request }: Question, format: AnswerFormat): Promise<string> {
    const asked = request as QueryRequest<QueryKind> & QueryRequest<'last'>
    return (
      await bodyOf(await this.#queries.run(kind, asked, format, new AbortController().signal, () => true))
    ).toString()
  }

  async #follow(until: number): Promise<void> {
    const reader = openFileJournalReader({ disk: this.#disk.mount(), directory })
    const judge = new Judge({ rowBytes: 1_000_000 })
    while (this.#position < until) {
      const entries = await reader.read(this.#position, until, 4096)
      const { batch, rejected } = judge.judge(entries, this.#ingest)
      expect(rejected).toEqual([])
      if (batch !== null) this.#store.write(batch)
      const last = entries.at(-1)
      if (last === undefined) throw new Error('the journal ends too early')
      this.#position = last.position + last.rows
    }
    await reader.close()
  }

  #newQueries(): Queries {
    const entity: Entity = {
      id: 1,
      name: 'plant',
      fields: this.#ingest.fields.map(({ name, type, role }) => ({ name, type, role })),
      duplicates: this.#ingest.duplicates,
      ingests: ['plant'],
      retention: null,
      sinceMs: null,
    }
    const limits = {
      resultRows: 1e6,
      buckets: 1e6,
      resultBytes: 1e9,
      runningQueries: 1,
      waitingQueries: 0,
      queryTimeMs: 60_000,
    }
    const definitions = { entity: () => entity, entities: () => [entity] }
    return new Queries({ definitions, runner: inProcessRunner(this.#store), nowMs: () => nowMs, limits })
  }
}

function ingestOf(fields: readonly EntityField[], duplicates: Duplicates): Ingest {
  return {
    id: 1,
    alias: 'plant',
    kind: 'series',
    entity: 'plant',
    entityId: 1,
    fields: fields.map((field) => ({ ...field, source: field.name })),
    fieldsVersion: 1,
    duplicates,
    state: 'active',
    reason: null,
    createdMs: 0,
  }
}

/** A row as JSON: means are compared as numbers, so they are left out here. */
function expectedJson(fields: readonly EntityField[], row: ResultRow): string {
  const members = fields.map(({ name, type }, index) => {
    const value = row[index]
    const text = type === 'timestamp' && value !== null ? JSON.stringify(formatInstant(Number(value))) : jsonOf(value)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${members.join(',')}}`
}

/** The model's own sums cancel at sizes of 1e300, where only about 1e286 can be told apart. */
function expectNear(actual: unknown, expected: Value): void {
  if (expected === null || actual === null) {
    expect(actual).toBe(expected)
    return
  }
  const difference = Math.abs(Number(actual) - Number(expected))
  expect(difference <= Math.abs(Number(expected)) * 1e-9 || difference <= 1e286 * 10).toBe(true)
}

async function check(world: World, question: Question): Promise<void> {
  const { plan } = question
  const fields = outputFields(plan)
  const expected = world.model.run(plan)
  const json = await world.ask(question, 'json')
  const lines = await world.ask(question, 'ndjson')
  expect(lines).toBe(json === '[]' ? '' : `${json.slice(1, -1).replaceAll('},{', '}\n{')}\n`)
  expect(cellsOf(await world.ask(question, 'csv'))).toEqual([fields.map(({ name }) => name), ...jsonCells(lines)])
  if (plan.kind !== 'average') {
    expect(json).toBe(`[${expected.map((row) => expectedJson(fields, row)).join(',')}]`)
    return
  }
  const rows = JSON.parse(json) as Record<string, unknown>[]
  expect(rows).toHaveLength(expected.length)
  const keys = fields.length - plan.selection.metrics.length
  for (const [index, row] of rows.entries()) {
    const key = JSON.parse(expectedJson(fields.slice(0, keys), expected[index])) as object
    expect(Object.fromEntries(Object.entries(row).slice(0, keys))).toEqual(key)
    for (const [metric, { name }] of fields.slice(keys).entries()) expectNear(row[name], expected[index][keys + metric])
  }
}

function cellsOf(csv: string): unknown[] {
  const reader = new CsvReader({ recordCharsMax: 1_000_000 })
  return [...reader.push(csv), ...reader.end()].map((record) => record.cells)
}

/** What stands in the lines, as CSV writes it: texts without quotes, all else as it is. */
function jsonCells(lines: string): unknown[] {
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const values = [...line.matchAll(/"(?:[^"\\]|\\.)*":("(?:[^"\\]|\\.)*"|[^,}]+)/g)].map((match) => match[1])
      return values.map((value) => (value === 'null' ? null : value.startsWith('"') ? JSON.parse(value) : value))
    })
}

test(`${worlds} worlds answer ${questionsOfWorld} random requests each as the model does, before and after a restart`, async () => {
  const firstSeed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  for (let seed = firstSeed; seed < firstSeed + worlds; seed++) {
    const draw = drawFrom(seed)
    const world = new World(draw)
    await world.push(1 + draw(6))
    const questions = Array.from({ length: questionsOfWorld }, () => randomQuestion(draw, world.entity, nowMs))
    try {
      for (const question of questions) await check(world, question)
      await world.restart()
      for (const question of questions) await check(world, question)
    } catch (error) {
      throw new Error(`TIDEMARK_TEST_SEED=${seed}`, { cause: error })
    }
  }
}, 600_000)

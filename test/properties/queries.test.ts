// The whole way without HTTP: random rows pushed as JSON into a journal, judged, stored, asked for with random requests, and read as bytes
// in each format; a plain model says what must come. Then all of it again after a restart from the journal. TIDEMARK_TEST_WORLDS asks more.
import { expect, test } from 'vitest'
import { Judge } from '../../src/ingest/judge.ts'
import { Pipeline } from '../../src/ingest/pipeline.ts'
import { encodeReplayedRows } from '../../src/ingest/replay/replayed-rows.ts'
import { openFileJournal } from '../../src/journal/file/file-journal.ts'
import { openFileJournalReader } from '../../src/journal/file/reader.ts'
import type { LocalJournalWriter } from '../../src/journal/journal.ts'
import { CsvReader } from '../../src/lib/csv-reader.ts'
import type { Value } from '../../src/model/column.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import type { Duplicates, Ingest } from '../../src/model/ingest.ts'
import { formatInstant } from '../../src/model/instant.ts'
import { outputFields } from '../../src/model/plan.ts'
import { Admission } from '../../src/query/admission.ts'
import { Queries } from '../../src/query/queries.ts'
import type { AnswerFormat } from '../../src/query/query-runner.ts'
import type { QueryKind, QueryRequest } from '../../src/query/requests.ts'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { bodyOf, inProcessRunner } from '../support/in-process.ts'
import { itemOf, ModelStore, type ResultRow } from '../support/model-store.ts'
import { planSince } from '../support/plan-since.ts'
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
const dayMs = 86_400_000
const settings = { segmentBytes: 20_000, batchBytesMax: 20_000, pendingBytesMax: 1_000_000, apartBytesMin: 2000 }

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

/** A row that was rejected for a field that its ingest had not yet. */
interface Waiting {
  readonly position: number
  readonly text: string
  readonly values: Row
}

class World {
  readonly entity: RandomEntity
  readonly model = new ModelStore()
  /** Items before this date have left. */
  sinceMs: number | null = null
  readonly #disk = new SimulatedDisk({ below: () => 0 })
  readonly #draw: Draw
  readonly #duplicates: Duplicates
  /** All of one entity: one that has all fields in its second version, and one that never has some. */
  readonly #early: Ingest
  readonly #late: Ingest
  readonly #other: Ingest
  readonly #fields: readonly EntityField[]
  readonly #waiting: Waiting[] = []
  readonly #replayed = new Map<number, readonly number[]>()
  #store: EmbeddedStore
  #pipeline: Promise<Pipeline>
  #queries: Queries

  constructor(draw: Draw) {
    this.#draw = draw
    this.entity = randomEntity(draw)
    const { time, tags, others } = this.entity
    this.#fields = [time, ...tags, ...others]
    this.#duplicates = draw(3) === 0 ? 'replace' : 'keep'
    const some = (): readonly EntityField[] => [time, ...tags, ...others.filter(() => draw(3) > 0)]
    const early = some()
    const added = others.filter((field) => !early.includes(field))
    this.#early = ingestOf(1, 1, early, this.#duplicates)
    this.#late = ingestOf(1, 2, [...early, ...added], this.#duplicates)
    this.#other = ingestOf(2, 1, some(), this.#duplicates)
    this.#store = new EmbeddedStore({ generationRows: 8 })
    this.#pipeline = this.#newPipeline()
    this.#queries = this.#newQueries()
  }

  /** Pushes all batches; what is stored is also in the model. Half way on, fields are added; some time after that rows are replayed. */
  async push(batches: number): Promise<void> {
    const journal = await openFileJournal({ disk: this.#disk.mount(), directory, settings, observe: () => undefined })
    for (let batch = 0; batch < batches; batch++) {
      const aboutMs = originMs + Math.floor((batch * spanMs) / batches / 1000) * 1000
      const isLate = batch * 2 >= batches
      await this.#pushBatch(journal, this.#draw(3) === 0 ? this.#other : isLate ? this.#late : this.#early, aboutMs)
      if (isLate && this.#draw(3) === 0) await this.#replay(journal)
      if (this.#draw(10) === 0) this.#leave()
      await this.#follow(journal.durablePosition)
    }
    await journal.close()
  }

  async #pushBatch(journal: LocalJournalWriter, ingest: Ingest, aboutMs: number): Promise<void> {
    const names = new Set(ingest.fields.map(({ name }) => name))
    const types = new Map(this.#fields.map(({ name, type }) => [name, type]))
    const rows = Array.from({ length: 1 + this.#draw(30) }, () => {
      const row = randomRow(this.#draw, this.entity, aboutMs)
      if (this.#draw(8) === 0) return row
      return Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)))
    })
    const texts = rows.map((row) => pushedJson(this.#draw, row, types))
    const body = Buffer.from(`[${texts.join(',')}]`)
    const position = await journal.append({ ...entryOf(ingest), format: 'json', rows: rows.length, body })
    for (const [index, values] of rows.entries()) {
      if (Object.keys(values).every((name) => names.has(name))) this.#expect(position + index, values)
      else if (ingest.id === 1) this.#waiting.push({ position: position + index, text: texts[index]!, values })
    }
  }

  /** Some of the rows that wait, and some that were replayed before. */
  async #replay(journal: LocalJournalWriter): Promise<void> {
    const rows = this.#waiting.filter(() => this.#draw(2) === 0)
    const body = encodeReplayedRows(rows.map(({ position, text }) => ({ position, text: Buffer.from(text) })))
    const position = await journal.append({ ...entryOf(this.#late), format: 'replay', rows: 0, body })
    const known = new Set([...this.#replayed.values()].flat())
    const stored = rows.filter((row) => !known.has(row.position))
    this.#replayed.set(
      position,
      stored.map((row) => row.position),
    )
    for (const row of stored) this.#expect(row.position, row.values)
  }

  #expect(position: number, values: Row): void {
    const item = this.#duplicates === 'replace' ? { item: itemOf(this.#fields, values) } : {}
    this.model.writeRow({ entityId: 1, position, values, ...item })
  }

  #leave(): void {
    const day = originMs + (this.#draw(5) - 1) * dayMs
    this.sinceMs = Math.max(day, this.sinceMs ?? day)
  }

  /** A new store, which reads the journal from its beginning. */
  async restart(): Promise<void> {
    const until = (await this.#pipeline).position
    this.#store = new EmbeddedStore({ generationRows: 64 })
    this.#pipeline = this.#newPipeline()
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
    const pipeline = await this.#pipeline
    while (pipeline.position < until) expect(await pipeline.advance(until)).not.toEqual([])
  }

  #newPipeline(): Promise<Pipeline> {
    const unused = (): never => {
      throw new Error('no rows of metadata are pushed')
    }
    const ingests = [this.#early, this.#late, this.#other]
    return Pipeline.open({
      journal: openFileJournalReader({ disk: this.#disk.mount(), directory }),
      ingests: {
        findVersion: async (id, version) =>
          ingests.find((one) => one.id === id && one.fieldsVersion === version) ?? null,
      },
      outcomes: {
        add: async () => undefined,
        replay: async ({ position, passed }) => {
          expect(passed).toEqual(expect.arrayContaining([...(this.#replayed.get(position) ?? [])]))
          return this.#replayed.get(position) ?? []
        },
        judgedPosition: async () => 0,
      },
      dropped: { list: async () => [] },
      judge: new Judge({ rowBytes: 1_000_000 }),
      itemJudge: { judge: unused },
      store: this.#store,
      observe: () => undefined,
      reach: () => undefined,
      stepBytes: 4096,
    })
  }

  #newQueries(): Queries {
    const entity = (): Entity => ({
      id: 1,
      name: 'plant',
      fields: this.#fields,
      duplicates: this.#duplicates,
      ingests: ['ingest1', 'ingest2'],
      retention: null,
      sinceMs: this.sinceMs,
    })
    const limits = {
      resultRows: 1e6,
      buckets: 1e6,
      resultBytes: 1e9,
      runningQueries: 1,
      waitingQueries: 0,
      queryTimeMs: 60_000,
    }
    const definitions = { entity, entities: () => [entity()] }
    const admission = new Admission(limits)
    const runner = inProcessRunner(this.#store)
    return new Queries({ definitions, runner, admission, nowMs: () => nowMs, limits })
  }
}

function ingestOf(id: number, fieldsVersion: number, fields: readonly EntityField[], duplicates: Duplicates): Ingest {
  return {
    id,
    alias: `ingest${id}`,
    kind: 'series',
    entity: 'plant',
    entityId: 1,
    fields: fields.map((field) => ({ ...field, source: field.name })),
    fieldsVersion,
    duplicates,
    state: 'active',
    reason: null,
    createdMs: 0,
  }
}

function entryOf({ id, fieldsVersion }: Ingest) {
  return { ingestId: id, fieldsVersion, subscriberId: 1, receivedMs: 0, idempotencyKey: null }
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
  const plan = planSince(question.plan, world.sinceMs)
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

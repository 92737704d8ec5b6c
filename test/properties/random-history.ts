// Runs a random history of an entity in a world, with a plain model that computes the results that the world must give.
import { expect } from 'vitest'
import type { Value } from '../../src/model/column.ts'
import { type EntityField, mergeFields } from '../../src/model/entity.ts'
import { type Field, isNumericField } from '../../src/model/field.ts'
import type { Duplicates } from '../../src/model/ingest.ts'
import { itemOf } from '../support/model-store.ts'
import { type Question, randomMs, randomQuestion, spanMs, type Times } from '../support/random-queries.ts'
import {
  type Draw,
  drawFrom,
  oneOf,
  type RandomEntity,
  randomEntity,
  randomQualities,
  randomValue,
} from '../support/random-rows.ts'
import { checkAnswer, HistoryModel } from './check-answer.ts'
import type { HistoryWorld, IngestName, RowPlace, TextFormat } from './history-world.ts'
import { pools, pushedRow } from './pushed-row.ts'

export interface HistorySize {
  readonly batchesMax: number
  /** The maximum number of rows of a batch. */
  readonly rowsMax: number
  /** The dates of a batch lie within this number of minutes. */
  readonly minutes: number
  readonly questions: number
}

/** A row rejected for a field that its ingest did not have yet; `order` is its place among all rows. */
interface Waiting extends RowPlace {
  readonly order: number
  readonly values: Row
}

interface NewRow {
  readonly text: string
  /** Null where no ingest will ever accept it. */
  readonly values: Row | null
}

type Row = Readonly<Record<string, Value>>

const dayMs = 86_400_000
const hourMs = 3_600_000
const retentions = [
  ['P3D', 3 * dayMs],
  ['PT50H', 50 * hourMs],
  ['P2D', 2 * dayMs],
  ['P1DT1S', dayMs + 1000],
  ['PT24H', dayMs],
  ['P0D', 0],
] as const
/** The maximum number of rejected rows that a receipt lists. */
const rejectedMax = 100
/** Dates so distant that nothing is drawn near them. */
const farMs = [Date.UTC(1969, 11, 31, 23, 59, 59, 999), Date.parse('0001-06-01T00:00:00.001Z'), Date.UTC(9999, 5, 1)]

export class RandomHistory {
  readonly #draw: Draw
  readonly #size: HistorySize
  readonly #times: Times
  readonly #world: HistoryWorld
  readonly #entity: RandomEntity
  readonly #duplicates: Duplicates
  readonly #model = new HistoryModel()
  /** The fields with the property names of pushed rows. The first ingest gets `#added` later; the second always lacks some. */
  readonly #fields: Record<IngestName, readonly Field[]>
  readonly #added: readonly Field[]
  readonly #unknown: Readonly<Record<IngestName, readonly Field[]>>
  readonly #waiting: Waiting[] = []
  readonly #replayed = new Set<Waiting>()
  readonly #counters = { first: { received: 0, stored: 0 }, second: { received: 0, stored: 0 } }
  #entityFields: readonly EntityField[]
  #pushes = 0
  #order = 0
  #sinceMs: number | null = null
  #questions: readonly Question[] = []

  constructor(seed: number, size: HistorySize, times: Times, world: HistoryWorld) {
    this.#draw = drawFrom(seed)
    this.#size = size
    this.#times = times
    this.#world = world
    this.#entity = randomEntity(this.#draw)
    this.#duplicates = this.#draw(3) === 0 ? 'replace' : 'keep'
    const early = this.#someOthers()
    const first = this.#sourced([this.#entity.time, ...this.#entity.tags, ...early])
    // The tags that an ingest lacks are null in its rows.
    const tags = this.#draw(2) === 0 ? this.#entity.tags : [oneOf(this.#draw, this.#entity.tags)]
    const second = this.#sourced([this.#entity.time, ...tags, ...this.#someOthers()])
    const lacking = (fields: readonly Field[]): readonly Field[] =>
      this.#sourced(this.#entity.others.filter(({ name }) => !fields.some((field) => field.name === name)))
    this.#fields = { first, second }
    this.#added = lacking(first)
    this.#unknown = { first: this.#added, second: lacking(second) }
    this.#entityFields = mergeFields(mergeFields([], first), second)
  }

  /** All pushes but the last, with queries between and after them. Halfway through, fields are added; from then on rows are replayed. */
  async begin(): Promise<void> {
    const draw = this.#draw
    await this.#world.define({ duplicates: this.#duplicates, fields: this.#fields })
    const batches = 1 + draw(this.#size.batchesMax)
    for (let batch = 0; batch < batches; batch++) {
      if (batch === Math.floor(batches / 2)) await this.#addFields()
      const aboutMs = this.#times.originMs + Math.floor((batch * spanMs) / batches / 1000) * 1000
      if (batch * 2 >= batches && draw(2) === 0) await this.#replay()
      await this.#push(aboutMs)
      if (draw(6) === 0) await this.#retain()
      if (draw(6) === 0) await this.#lift()
      await this.#check(this.#newQuestion())
    }
    this.#questions = Array.from({ length: this.#size.questions }, () => this.#newQuestion())
    await this.#checkAll()
  }

  /** Continues after a restart. */
  async continueAfterRestart(): Promise<void> {
    if (this.#draw(2) === 0) await this.#push(this.#times.originMs + this.#draw(spanMs))
    await this.#checkAll()
  }

  #someOthers(): readonly EntityField[] {
    const others = this.#entity.others.filter(() => this.#draw(3) > 0)
    // Each ingest needs a numeric metric, because means are queried from the start.
    const hasMean = others.some((field) => field.role === 'metric' && isNumericField(field))
    return hasMean ? others : [...others, this.#entity.others.at(-1)!]
  }

  /** Some fields are read from a property with another name. */
  #sourced(fields: readonly EntityField[]): readonly Field[] {
    return fields.map((field) => ({ ...field, source: this.#draw(5) === 0 ? `${field.name} as pushed` : field.name }))
  }

  async #addFields(): Promise<void> {
    if (this.#added.length === 0) return
    await this.#world.addFields(this.#added)
    this.#fields.first = [...this.#fields.first, ...this.#added]
    this.#entityFields = mergeFields(this.#entityFields, this.#added)
    expect(await this.#world.fields()).toEqual(this.#entityFields)
  }

  async #push(aboutMs: number): Promise<void> {
    const draw = this.#draw
    const ingest = draw(3) === 0 ? 'second' : 'first'
    const fields = this.#fields[ingest]
    const names = new Set(fields.map(({ name }) => name))
    const isKnown = ({ values }: NewRow): boolean =>
      values !== null && Object.keys(values).every((name) => names.has(name))
    const rows = Array.from({ length: 1 + draw(this.#size.rowsMax) }, () => this.#newRow(ingest, aboutMs))
    const rejected = await this.#world.push({
      ingest,
      format: draw(3) === 0 ? 'ndjson' : 'json',
      rows: rows.map(({ text }) => text),
    })
    const expected = rows.flatMap((row, index) => (isKnown(row) ? [] : [index]))
    expect(rejected).toEqual(expected.slice(0, rejectedMax))
    for (const [index, row] of rows.entries()) {
      const { values } = row
      const order = this.#order++
      if (values === null) continue
      if (isKnown(row)) this.#expect(order, values)
      else if (ingest === 'first') this.#waiting.push({ push: this.#pushes, index, order, values })
    }
    this.#counters[ingest].received += rows.length
    this.#counters[ingest].stored += rows.length - expected.length
    this.#pushes += 1
  }

  #newRow(ingest: IngestName, aboutMs: number): NewRow {
    const draw = this.#draw
    const { time, tags, others } = this.#entity
    const drawn = pools(draw, this.#times)
    const inBatchMs = aboutMs + draw(this.#size.minutes) * 60_000
    const ms = draw(5) === 0 ? randomMs(draw, this.#times) : draw(80) === 0 ? oneOf(draw, farMs) : inBatchMs
    const row: Record<string, Value> = { [time.name]: ms }
    for (const tag of tags) row[tag.name] = oneOf(draw, drawn.texts)
    for (const field of others)
      if (draw(5) > 0)
        row[field.name] =
          field.role === 'quality' ? randomQualities(draw, field, 1)[0]! : randomValue(draw, field.type, drawn)
    const known = this.#fields[ingest]
    const isWhole = draw(8) === 0
    const fields = isWhole ? [...known, ...this.#unknown[ingest].filter((field) => !known.includes(field))] : known
    const pushed = fields.filter(({ name }) => name in row)
    const values = Object.fromEntries(pushed.map(({ name }) => [name, row[name]!]))
    return draw(30) === 0
      ? { text: oneOf(draw, ['7', '{}', `{${JSON.stringify(fields[0]!.source)}:"noon"}`]), values: null }
      : { text: pushedRow(draw, pushed, values), values }
  }

  /** Replays some of the waiting rows, and some that were replayed before. */
  async #replay(): Promise<void> {
    const rows = this.#waiting.filter(() => this.#draw(2) === 0)
    if (rows.length === 0) return
    const fresh = rows.filter((row) => !this.#replayed.has(row))
    expect(await this.#world.replay(rows)).toBe(fresh.length)
    for (const row of fresh) {
      this.#replayed.add(row)
      this.#expect(row.order, row.values)
    }
    this.#counters.first.stored += fresh.length
    await this.#check(this.#newQuestion())
  }

  #expect(position: number, values: Row): void {
    const item = this.#duplicates === 'replace' ? { item: itemOf(this.#entityFields, values) } : {}
    this.#model.write({ entityId: 1, position, values, ...item }, this.#entity.others)
  }

  async #retain(): Promise<void> {
    const [period, ms] = oneOf(this.#draw, retentions)
    const sinceMs = Math.floor((this.#times.nowMs - ms) / dayMs) * dayMs
    // Expired rows do not come back, so a longer retention is not tested here.
    if (this.#sinceMs !== null && sinceMs < this.#sinceMs) return
    await this.#world.retain({ period, sinceMs })
    this.#sinceMs = sinceMs
  }

  async #lift(): Promise<void> {
    if (this.#sinceMs === null || this.#world.lift === null) return
    await this.#world.lift()
    this.#model.forget(this.#sinceMs)
    this.#sinceMs = null
  }

  #newQuestion(): Question {
    const others = this.#entityFields.filter(({ role }) => role !== 'time' && role !== 'tag')
    return randomQuestion(this.#draw, { ...this.#entity, others }, this.#times)
  }

  async #checkAll(): Promise<void> {
    for (const question of this.#questions) await this.#check(question)
    const expected = this.#model.statistics(this.#sinceMs)
    expect(await this.#world.statistics(expected)).toEqual(expected)
    const counters = Object.entries(this.#counters).map(([ingest, { received, stored }]) => [
      ingest,
      { received, stored, rejected: received - stored, pending: 0 },
    ])
    expect(await this.#world.counters()).toEqual(Object.fromEntries(counters))
  }

  async #check(question: Question): Promise<void> {
    try {
      const { hasExactMeans } = this.#world
      const ask = (format: TextFormat): Promise<string> => this.#world.ask(question, format)
      await checkAnswer(question, this.#model.expected(question.plan, this.#sinceMs), { hasExactMeans, ask })
    } catch (error) {
      throw new Error(`asked ${question.kind} ${JSON.stringify(question.request)}`, { cause: error })
    }
  }
}

// Runs the checks of a scenario: rows are validated like pushed ones, and queries take the whole path from request to JSON.

import { Check as conforms } from 'typebox/value'
import { Admission } from '../../src/admission/admission.ts'
import { Queries, type QueryLimits } from '../../src/admission/queries.ts'
import { RowValidator } from '../../src/ingest/row-validator.ts'
import type { PlacedEntry } from '../../src/journal/journal.ts'
import type { Entity } from '../../src/model/entity.ts'
import type { FieldType } from '../../src/model/field.ts'
import { formatInstant } from '../../src/model/instant.ts'
import { Problem } from '../../src/model/problem.ts'
import type { QueryKind } from '../../src/model/query-kind.ts'
import type { RowBatch } from '../../src/model/row-batch.ts'
import { EntityList } from '../../src/query/entity-list.ts'
import { dataLanguage } from '../../src/query/plan-query.ts'
import { type QueryRequest, queryRequests } from '../../src/query/requests.ts'
import type { SeriesQuerier, SeriesWriter } from '../../src/store/series-store.ts'
import { everyone } from './everyone.ts'
import { bodyOf, inProcessRunner, noItems } from './in-process.ts'
import { ingestOf } from './ingest-of.ts'
import { type Check, type Given, instantOf, type ScenarioQuery, type Table } from './scenario.ts'

export type Store = SeriesWriter & SeriesQuerier

/** A store over rows that were written before: it ignores what a check pushes. */
export function written(reader: SeriesQuerier): Store {
  return {
    position: 0,
    write: () => undefined,
    run: (plan, limits, signal, buckets) => reader.run(plan, limits, signal, buckets),
    statistics: (entityId, sinceMs, signal) => reader.statistics(entityId, sinceMs, signal),
    tags: (request, signal) => reader.tags(request, signal),
  }
}

/** The entities of a check and all rows that it pushes. */
export function worldOf(check: Check): { entities: readonly Entity[]; batches: readonly RowBatch[] } {
  const batches: RowBatch[] = []
  const world = new ScenarioWorld(nowhere(batches))
  for (const given of check.given) world.arrange(given)
  return { entities: world.entities, batches }
}

const generous: QueryLimits = {
  resultRows: 1000,
  buckets: 1000,
  resultBytes: 1_000_000,
  queryTimeMs: 10_000,
}

/** Runs a check; returns the actual and the expected answer as text, for a readable comparison. */
export async function runCheck(check: Check, store: Store): Promise<Sides> {
  const world = new ScenarioWorld(store)
  for (const given of check.given) world.arrange(given)
  return compare(check, world, (asked) => world.ask(asked))
}

/** Like `runCheck`, with the data elsewhere: `ask` resolves with the text of the answer, or rejects with a Problem. */
export function checkElsewhere(check: Check, ask: (asked: ScenarioQuery) => Promise<string>): Promise<Sides> {
  const world = new ScenarioWorld(nowhere())
  for (const given of check.given) world.arrange(given)
  return compare(check, world, ask)
}

interface Sides {
  readonly answered: string
  readonly expected: string
}

async function compare(
  { asked, expected }: Check,
  world: ScenarioWorld,
  ask: (asked: ScenarioQuery) => Promise<string>,
): Promise<Sides> {
  if (expected.kind === 'error') {
    const problem = await refusalOf(ask(asked))
    const missing = expected.words.filter((words) => !problem.message.includes(words))
    const path = expected.path === null ? '' : ` at ${problem.errors?.map((error) => error.path).join(' ')}`
    return {
      answered: `error ${problem.status} ${problem.code}${path}${missing.length > 0 ? `: ${problem.message}` : ''}`,
      expected: `error ${expected.status} ${expected.code}${expected.path === null ? '' : ` at ${expected.path}`}${missing.map((words) => ` ... ${words}`).join('')}`,
    }
  }
  const rows = expected.kind === 'nothing' ? [] : world.expectedRows(asked, expected.table)
  return { answered: rowPerLine(await ask(asked)), expected: rowPerLine(`[${rows.join(',')}]`) }
}

async function refusalOf(answer: Promise<string>): Promise<Problem> {
  try {
    return new Problem('internal', `nothing was refused: ${await answer}`)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Discards rows and cannot be queried. */
function nowhere(batches: RowBatch[] = []): Store {
  const unread = (): never => {
    throw new Error('nothing is asked yet')
  }
  return { position: 0, write: (batch) => void batches.push(batch), run: unread, statistics: unread, tags: unread }
}

const rowPerLine = (json: string): string => json.replaceAll('},{', '},\n {')

class ScenarioWorld {
  readonly #store: Store
  readonly #validator = new RowValidator({ rowBytes: 1_000_000 })
  readonly #entities = new Map<string, Entity>()
  #limits = generous
  #nowMs = 0
  #position = 0

  constructor(store: Store) {
    this.#store = store
  }

  get entities(): readonly Entity[] {
    return [...this.#entities.values()]
  }

  arrange(given: Given): void {
    switch (given.kind) {
      case 'entity':
        this.#entities.set(given.name, this.#define(given))
        return
      case 'push':
        this.#push(this.#entity(given.entity), given.table)
        return
      case 'now':
        this.#nowMs = given.ms
        return
      case 'limits':
        this.#limits = { ...this.#limits, ...given.limits }
    }
  }

  /** The text of the answer. */
  async ask(asked: ScenarioQuery): Promise<string> {
    const definitions = {
      entity: (name: string) => this.#entities.get(name),
      entities: () => [...this.#entities.values()].sort((left, right) => (left.name < right.name ? -1 : 1)),
      metadataEntity: () => undefined,
    }
    const parts = {
      definitions,
      items: noItems,
      runner: inProcessRunner(this.#store),
      admission: new Admission({ runningQueries: 1, runningSqlQueries: 1, waitingQueries: 0 }),
      nowMs: () => this.#nowMs,
      limits: this.#limits,
    }
    const { signal } = new AbortController()
    if (asked.kind === 'entities') return JSON.stringify(await new EntityList(parts).list(signal, everyone))
    const { query, request } = asked
    if (!isRequest(query, request)) throw new Error(`the schema of ${query} refuses ${JSON.stringify(request)}`)
    const answer = await new Queries(dataLanguage(parts), parts).run(
      { kind: query, request, format: 'json' },
      signal,
      everyone,
    )
    return (await bodyOf(answer)).toString('utf8')
  }

  /** The rows of a table in the form in which the answer must contain them. */
  expectedRows(asked: ScenarioQuery, { header, rows }: Table): string[] {
    if (asked.kind === 'entities') return rows.map((cells) => entityRow(header, cells))
    const entity = this.#entity(String(asked.request['entity']))
    const types = header.map((name) => typeOfOwn(name) ?? typeOf(entity, name))
    return rows.map((cells) => jsonRow(header, types, cells))
  }

  #define({ name, fields, duplicates }: Given & { kind: 'entity' }): Entity {
    return {
      id: this.#entities.size + 1,
      name,
      fields,
      duplicates,
      ingests: [name],
      retention: null,
      sinceMs: null,
    }
  }

  #entity(name: string): Entity {
    const entity = this.#entities.get(name)
    if (entity === undefined) throw new Error(`the scenario has no entity "${name}"`)
    return entity
  }

  #push(entity: Entity, { header, rows }: Table): void {
    const body = Buffer.from(pushedJson(entity, { header, rows }))
    const entry: PlacedEntry = {
      ingestId: entity.id,
      fieldsVersion: 1,
      subscriberId: 1,
      receivedMs: 0,
      format: 'json',
      idempotencyKey: null,
      rows: rows.length,
      body,
      position: this.#position,
    }
    this.#position += rows.length
    const { batch, rejected } = this.#validator.validate([entry], ingestOf(entity))
    if (rejected.length > 0) throw new Error(`a row of the scenario is rejected: ${rejected[0]!.message}`)
    if (batch !== null) this.#store.write(batch)
  }
}

/** The body of a push of a table's rows. */
export function pushedJson(entity: Pick<Entity, 'name' | 'fields'>, { header, rows }: Table): string {
  const types = header.map((name) => typeOf(entity, name))
  return `[${rows.map((cells) => jsonRow(header, types, cells)).join(',')}]`
}

function isRequest(kind: QueryKind, request: object): request is QueryRequest<QueryKind> & QueryRequest<'last'> {
  return conforms(queryRequests[kind], request)
}

/** The type of a column that an answer has in addition to the entity's fields; null for any other column. */
function typeOfOwn(name: string): FieldType | null {
  if (name === 'metric' || name === 'value') return 'string'
  if (/^(snap|.*\.m(in|ax)_time)$/.test(name)) return 'timestamp'
  return name.includes('.') || name === 'seconds' || name === 'entries' ? 'double' : null
}

function typeOf(entity: Pick<Entity, 'name' | 'fields'>, name: string): FieldType {
  const field = entity.fields.find((candidate) => candidate.name === name)
  if (field === undefined) throw new Error(`${entity.name} has no field "${name}"`)
  return field.type
}

/** A cell for a property that the row does not have. */
const absent = '.'

function jsonRow(header: readonly string[], types: readonly FieldType[], cells: readonly string[]): string {
  const members = cells.flatMap((cell, index) => {
    return cell === absent ? [] : [`${JSON.stringify(header[index])}:${jsonCell(types[index]!, cell)}`]
  })
  return `{${members.join(',')}}`
}

/** `_` is null. A string needs quotes only where the plain form would be ambiguous. */
function jsonCell(type: FieldType, cell: string): string {
  if (cell === '_') return 'null'
  if (type === 'timestamp') return JSON.stringify(formatInstant(instantOf(cell)))
  return type === 'string' ? JSON.stringify(cell.startsWith('"') ? JSON.parse(cell) : cell) : cell
}

/** A row of `entities`: fields are written as `name:type:role`, lists are separated by commas. */
function entityRow(header: readonly string[], cells: readonly string[]): string {
  const values = cells.map((cell, index): unknown => {
    switch (header[index]) {
      case 'ingests':
        return cell.split(',')
      case 'fields':
        return cell.split(',').map((text) => {
          const [name, type, role] = text.split(':')
          return { name, type, role }
        })
      case 'rows':
        return Number(cell)
      case 'first_date':
      case 'last_date':
        return cell === '_' ? null : formatInstant(instantOf(cell))
      default:
        return cell
    }
  })
  return JSON.stringify(Object.fromEntries(header.map((name, index) => [name, values[index]])))
}

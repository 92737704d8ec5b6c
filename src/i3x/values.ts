// The values of objects: current values and history.

import type { Queries } from '../admission/queries.ts'
import type { Answer } from '../answer/whole-answer.ts'
import { sqlValue } from '../druid-sql/parse/sql-value.ts'
import type { FormattedSqlQuery } from '../druid-sql/sql-language.ts'
import { addTo } from '../lib/add-to.ts'
import { parseWithLongs } from '../lib/json-with-longs.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import type { Value } from '../model/column.ts'
import { type Entity, type EntityField, fieldsOfRole, timeField } from '../model/entity.ts'
import { formatInstant, latestMs } from '../model/instant.ts'
import { invalidRequest } from '../model/problem.ts'
import { codingOf, type QualityWord, qualityOf, qualityWords } from '../model/quality.ts'
import type { DataQuestion } from '../query/plan-query.ts'
import type { AddressSpace, Found, OfEntity } from './address-space.ts'
import type { I3xCaller } from './caller.ts'
import { scalarOf, valueFields } from './object-types.ts'

/** i3X's value, quality and timestamp. */
export interface Vqt {
  readonly value: unknown
  readonly quality: 'Good' | 'GoodNoData' | 'Uncertain' | 'Bad'
  readonly timestamp: string
}

/** The data of an object, and of its components if requested. */
type WithComponents<Said> = Said & {
  readonly isComposition: boolean
  readonly components?: Readonly<Record<string, Said>>
}

interface ValuesInTime {
  readonly values: readonly Vqt[]
}

export interface History {
  readonly values: ReadonlyMap<string, WithComponents<ValuesInTime>>
  /** Values from this time on are omitted; null if none are. */
  readonly cutMs: number | null
}

export interface TimeRange {
  readonly startMs: number
  readonly endMs: number
}

/** A row as the service writes it, keyed by field name. */
export type Row = Readonly<Record<string, unknown>>

export interface ValueParts {
  readonly space: AddressSpace
  readonly queries: Pick<Queries<DataQuestion>, 'run'>
  readonly sqlQueries: Pick<Queries<FormattedSqlQuery>, 'run'>
  /** Maximum values of a history. */
  readonly valuesMax: number
  readonly nowMs: () => number
}

/** Query parameters for the items of tags (none: of all tags), of any quality: clients receive the quality with each value. */
export function itemsQuery(entity: Entity, ids: readonly string[]) {
  const fields = fieldsOfRole(entity, 'dimension').map(({ name }) => name)
  const quality = fieldsOfRole(entity, 'quality').length === 0 ? [] : qualityWords
  return { entity: entity.name, ids, fields, quality }
}

/** Returns a function that reads the value of a tag, or of the entity, from a row. */
function vqtReader(entity: Entity, of: 'entity' | 'tag'): (row: Row) => Vqt {
  const fields = valueFields(entity, of)
  const scalar = scalarOf(fields)
  const time = timeField(entity).name
  const [quality] = fieldsOfRole(entity, 'quality')
  return (row) => {
    const value = scalar === null ? Object.fromEntries(fields.map(({ name }) => [name, row[name]])) : row[scalar.name]
    const word = quality === undefined ? 'good' : qualityOf((row[quality.name] ?? null) as Value, codingOf(quality))
    return vqt(value ?? null, String(row[time]), word)
  }
}

/** Returns a function that reads the values of the requested elements from a row. */
export function updateReader({ entity, tags, whole }: OfEntity): (row: Row) => readonly (readonly [id: string, Vqt])[] {
  const [tag] = fieldsOfRole(entity, 'tag')
  const [ofTag, ofWhole] = [vqtReader(entity, 'tag'), vqtReader(entity, 'entity')]
  return (row) => {
    const id = tags.size === 0 ? undefined : tags.get(String(row[tag!.name]))
    const found: (readonly [string, Vqt])[] = id === undefined ? [] : [[id, ofTag(row)]]
    if (whole !== null) found.push([whole, ofWhole(row)])
    return found
  }
}

/** i3X requires that bad quality has no value. */
function vqt(value: unknown, timestamp: string, word: QualityWord = 'good'): Vqt {
  if (word === 'bad') return { value: null, quality: 'Bad', timestamp }
  if (value === null) return { value, quality: 'GoodNoData', timestamp }
  return { value, quality: word === 'good' ? 'Good' : 'Uncertain', timestamp }
}

export class Values {
  readonly #parts: ValueParts

  constructor(parts: ValueParts) {
    this.#parts = parts
  }

  /** The current value of each object, with its components unless `maxDepth` is 1. */
  async current(
    found: ReadonlyMap<string, Found>,
    maxDepth: number,
    caller: I3xCaller,
  ): Promise<ReadonlyMap<string, WithComponents<Vqt>>> {
    const components = await this.#components(found, maxDepth, caller)
    const now = formatInstant(this.#parts.nowMs())
    const values = await this.#currentOf([...found.values(), ...[...components.values()].flat()], now, caller)
    return withComponents(found, components, (id) => values.get(id) ?? vqt(null, now))
  }

  /** As `current`. Throws Problem `invalid_request` if even the values of a single instant exceed the limit. */
  async history(
    found: ReadonlyMap<string, Found>,
    range: TimeRange,
    maxDepth: number,
    caller: I3xCaller,
  ): Promise<History> {
    const components = await this.#components(found, maxDepth, caller)
    const asked = [...found.values(), ...[...components.values()].flat()]
    const { values, cutMs } = await this.#historyOf(asked, range, caller)
    const none = [vqt(null, formatInstant(range.startMs))]
    return { values: withComponents(found, components, (id) => ({ values: values.get(id) ?? none })), cutMs }
  }

  async #components(found: ReadonlyMap<string, Found>, maxDepth: number, caller: I3xCaller) {
    return maxDepth === 1 ? new Map<string, Found[]>() : this.#parts.space.components(found, caller)
  }

  async #currentOf(found: readonly Found[], now: string, caller: I3xCaller): Promise<ReadonlyMap<string, Vqt>> {
    const values = new Map<string, Vqt>()
    for (const { object, json } of found)
      if (json !== undefined) values.set(object.elementId, vqt(parseWithLongs(json), now))
    for (const { entity, tags, whole } of this.#parts.space.byEntity(found, caller)) {
      const read = vqtReader(entity, 'tag')
      for (const [tag, row] of tags.size === 0 ? [] : await this.#newest(entity, [...tags.keys()], caller)) {
        const id = tags.get(tag)
        if (id !== undefined) values.set(id, read(row))
      }
      if (whole === null) continue
      const [row] = await this.#rows(entity, { condition: sql.empty, order: sql`DESC`, limit: 1 }, caller)
      if (row !== undefined) values.set(whole, vqtReader(entity, 'entity')(row))
    }
    return values
  }

  /** The newest row of each tag. */
  async #newest(entity: Entity, tags: readonly string[], caller: I3xCaller): Promise<ReadonlyMap<string, Row>> {
    const { queries } = this.#parts
    const [tag] = fieldsOfRole(entity, 'tag')
    const request = { ...itemsQuery(entity, tags), date: formatInstant(latestMs) }
    const { cancellation, reader } = caller
    const rows = await rowsOf(await queries.run({ kind: 'last', request, format: 'json' }, cancellation, reader))
    // Rows are ordered by time: of several rows of a tag, which differ in other tags, the last one wins.
    return new Map(rows.map((row) => [String(row[tag!.name]), row]))
  }

  async #historyOf(
    found: readonly Found[],
    { startMs, endMs }: TimeRange,
    caller: I3xCaller,
  ): Promise<{ readonly values: ReadonlyMap<string, Vqt[]>; readonly cutMs: number | null }> {
    const { space, valuesMax } = this.#parts
    const groups = space.byEntity(found, caller)
    const share = Math.max(1, Math.floor(valuesMax / Math.max(1, groups.length)))
    const range = sql`__time >= MILLIS_TO_TIMESTAMP(${startMs}) AND __time <= MILLIS_TO_TIMESTAMP(${endMs})`
    const read: (readonly [OfEntity, readonly Row[]])[] = []
    let cutMs = Number.POSITIVE_INFINITY
    for (const asked of groups) {
      const { entity, tags, whole } = asked
      const [tag] = fieldsOfRole(entity, 'tag')
      const names = sql.join(
        [...tags.keys()].map((name) => sql`${name}`),
        ', ',
      )
      const ofTags = whole === null ? sql` AND ${sql.id(tag!.name)} IN (${names})` : sql.empty
      const condition = sql` AND ${range}${ofTags}`
      const rows = await this.#rows(entity, { condition, order: sql`ASC`, limit: share + 1 }, caller)
      if (rows.length > share) cutMs = Math.min(cutMs, timeOf(entity, rows[share]!))
      read.push([asked, rows])
    }
    if (cutMs <= startMs) throw tooManyAtOnce(valuesMax)
    const values = new Map<string, Vqt[]>()
    for (const [asked, rows] of read) {
      const before = rows.filter((row) => timeOf(asked.entity, row) < cutMs)
      for (const [id, value] of before.flatMap(updateReader(asked))) {
        addTo(values, id, value)
      }
    }
    return { values, cutMs: Number.isFinite(cutMs) ? cutMs : null }
  }

  /** The first `limit` items, ordered by time in the given direction. */
  async #rows(
    entity: Entity,
    { condition, order, limit }: { readonly condition: Sql; readonly order: Sql; readonly limit: number },
    { cancellation, reader }: I3xCaller,
  ): Promise<readonly Row[]> {
    const fields = [...valueFields(entity, 'entity'), ...fieldsOfRole(entity, 'quality')]
    const columns = [sql`__time AS ${sql.id(timeField(entity).name)}`, ...fields.map(({ name }) => sql.id(name))]
    const known = sql.join(
      fieldsOfRole(entity, 'metric').map(({ name }) => sql`${sql.id(name)} IS NOT NULL`),
      ' OR ',
    )
    const { text, parameters } =
      sql`SELECT ${sql.join(columns, ', ')} FROM ${sql.id(entity.name)} WHERE (${known})${condition} ORDER BY __time ${order} LIMIT ${limit}`
    const question = { text, parameters: parameters.map(sqlValue), format: 'json' } as const
    const rows = await rowsOf(await this.#parts.sqlQueries.run(question, cancellation, reader))
    const flags = fields.filter(({ type }) => type === 'boolean')
    return flags.length === 0 ? rows : rows.map((row) => withFlags(row, flags))
  }
}

function withComponents<Said extends object>(
  found: ReadonlyMap<string, Found>,
  components: ReadonlyMap<string, readonly Found[]>,
  saidOf: (id: string) => Said,
): ReadonlyMap<string, WithComponents<Said>> {
  return new Map(
    [...found].map(([id, { object }]): [string, WithComponents<Said>] => {
      const whole = { isComposition: object.isComposition, ...saidOf(id) }
      const parts = components.get(id)?.map(({ object: { elementId } }) => [elementId, saidOf(elementId)] as const)
      return [id, parts === undefined ? whole : { ...whole, components: Object.fromEntries(parts) }]
    }),
  )
}

const timeOf = (entity: Entity, row: Row): number => Date.parse(String(row[timeField(entity).name]))

/** Converts the 1 and 0 of SQL to booleans. */
function withFlags(row: Row, flags: readonly EntityField[]): Row {
  const values = flags.map(({ name }) => [name, row[name] === null ? null : Boolean(row[name])])
  return { ...row, ...Object.fromEntries(values) }
}

async function rowsOf(answer: Answer): Promise<readonly Row[]> {
  try {
    const pieces: Uint8Array[] = []
    for await (const piece of answer.chunks) pieces.push(Buffer.from(piece))
    return read(Buffer.concat(pieces))
  } finally {
    answer.release()
  }
}

function read(bytes: Buffer): readonly Row[] {
  const rows = parseWithLongs(bytes.toString())
  if (!Array.isArray(rows)) throw new Error('an answer of rows is a list')
  return rows
}

function tooManyAtOnce(valuesMax: number) {
  const message = `the elements have more than ${valuesMax} values at this one moment, which is i3x.values. Request fewer elements`
  return invalidRequest('startTime', message)
}

// Writing of values: each value becomes a row of an ingest of its entity, or an item of its table, and is pushed as usual.
import type { Push, Pushes } from '../ingest/push.ts'
import type { PushCheck } from '../ingest/push-check.ts'
import { textWithLongs } from '../lib/json-with-longs.ts'
import { type EntityField, fieldsOfRole, indexField, timeField } from '../model/entity.ts'
import type { Ingest } from '../model/ingest.ts'
import { formatInstant, parseInstant } from '../model/instant.ts'
import { invalidRequest, Problem } from '../model/problem.ts'
import { codingOf, type QualityWord, qualityNumber } from '../model/quality.ts'
import type { AddressSpace, Found } from './address-space.ts'
import { noElement, type Outcome } from './answers.ts'
import type { I3xCaller } from './caller.ts'
import { scalarOf, valueFields } from './object-types.ts'

export interface Update {
  readonly elementId: string
  readonly value: {
    readonly value?: unknown
    readonly quality?: string | null | undefined
    readonly timestamp?: string | null | undefined
  }
}

/** The push target of an alias, if the caller may push to it. Throws the Problems of a push. */
export type Admit = (alias: string) => Pick<Push, 'subscriberId' | 'keyId' | 'ingest'>

export interface WriteParts {
  readonly space: AddressSpace
  readonly pushes: Pick<Pushes, 'push'>
  readonly check: Pick<PushCheck, 'faults'>
  readonly nowMs: () => number
}

interface WriteRules {
  /** Each value must have a timestamp, which determines the row it is written to. */
  readonly isHistory: boolean
  readonly admit: Admit
}

type Values = Readonly<Record<string, unknown>>

/** A row to push, and the index of its update. */
interface PlacedRow {
  readonly place: number
  /** As JSON. */
  readonly row: string
}

type Target = ReturnType<Admit>

export class Writes {
  readonly #parts: WriteParts

  constructor(parts: WriteParts) {
    this.#parts = parts
  }

  /** Returns the outcome of each update, in order. Rows that would be rejected are reported and not pushed. */
  async write(
    updates: readonly Update[],
    rules: WriteRules,
    caller: I3xCaller,
  ): Promise<readonly (readonly [id: string, Outcome<null>])[]> {
    const found = await this.#parts.space.find(
      updates.map((update) => update.elementId),
      caller,
    )
    const outcomes = new Array<Outcome<null>>(updates.length).fill({ result: null })
    const byIngest = new Map<string, { target: Target; rows: PlacedRow[] }>()
    for (const [place, update] of updates.entries()) {
      try {
        const one = found.get(update.elementId)
        if (one === undefined) throw noElement(update.elementId)
        const { target, row } = this.#rowOf(update, one, rules, caller)
        const group = byIngest.get(target.ingest.alias) ?? { target, rows: [] }
        byIngest.set(target.ingest.alias, group)
        group.rows.push({ place, row: rowText(row) })
      } catch (error) {
        outcomes[place] = problemOf(error)
      }
    }
    for (const { target, rows } of byIngest.values()) {
      try {
        const good = await this.#checked(target.ingest, rows, outcomes)
        if (good.length > 0) await this.#push(target, good, outcomes)
      } catch (error) {
        for (const { place } of rows) if (!(outcomes[place] instanceof Problem)) outcomes[place] = problemOf(error)
      }
    }
    return updates.map(({ elementId }, place) => [elementId, outcomes[place]!])
  }

  #rowOf(
    { value: { value, quality, timestamp } }: Update,
    { element }: Found,
    { isHistory, admit }: WriteRules,
    caller: I3xCaller,
  ): { readonly target: Target; readonly row: Values } {
    if (value === undefined) throw invalidRequest('value.value', 'is required')
    const word = words.get(quality ?? 'Good')
    if (word === undefined) throw invalidRequest('value.quality', 'must be Good, Uncertain or Bad')
    if (element.kind === 'item') {
      if (word !== 'good') throw invalidRequest('value.quality', 'must be Good: items have no quality')
      if (isHistory) throw invalidRequest('elementId', 'is an item, which has no history: write its value')
      const fields = this.#parts.space.table(element.table, caller)!.fields
      const index = indexField({ fields })
      const target = admit(element.table)
      return { target, row: rowFor(target.ingest, { ...valuesIn(value, fields), [index.name]: element.item }) }
    }
    if (element.kind !== 'tag' && element.kind !== 'entity')
      throw invalidRequest(
        'elementId',
        `is a ${element.kind}, which has no value: write the values of the objects in it`,
      )
    const entity = this.#parts.space.entity(element.entity, caller)!
    const [tag] = fieldsOfRole(entity, 'tag')
    const values = valuesIn(value, valueFields(entity, element.kind))
    if (fieldsOfRole(entity, 'metric').every(({ name }) => values[name] == null))
      throw invalidRequest('value.value', 'must have a value that is not null: a row needs at least one value')
    const time = this.#timeOf(timestamp, isHistory)
    const named = element.kind === 'tag' ? { [tag!.name]: element.tag } : {}
    const known = fieldsOfRole(entity, 'quality').map(({ name }) => name)
    const target = admitted(entity.ingests, [...Object.keys(values), ...known], admit)
    const kept = qualityFor(target.ingest, word)
    return { target, row: rowFor(target.ingest, { [timeField(entity).name]: time, ...named, ...values, ...kept }) }
  }

  #timeOf(timestamp: string | null | undefined, isRequired: boolean): string {
    if (timestamp == null && isRequired)
      throw invalidRequest('value.timestamp', 'is required: it says which value is written')
    const ms = timestamp == null ? this.#parts.nowMs() : parseInstant(timestamp)
    if (ms === null) throw invalidRequest('value.timestamp', 'must be a time such as 2026-01-01T00:00:00Z')
    return formatInstant(ms)
  }

  async #checked(ingest: Ingest, rows: readonly PlacedRow[], outcomes: Outcome<null>[]): Promise<readonly PlacedRow[]> {
    const entry = {
      ...{ ingestId: ingest.id, fieldsVersion: ingest.fieldsVersion, subscriberId: 0, receivedMs: 0, position: 0 },
      ...{ format: 'json' as const, idempotencyKey: null, rows: rows.length, body: bodyOf(rows) },
    }
    for (const { index, field, message } of await this.#parts.check.faults([entry], ingest))
      outcomes[rows[index]!.place] = invalidRequest(field === null ? 'value.value' : `value.value.${field}`, message)
    return rows.filter(({ place }) => !(outcomes[place] instanceof Problem))
  }

  async #push(target: Target, rows: readonly PlacedRow[], outcomes: Outcome<null>[]): Promise<void> {
    const body = bodyOf(rows)
    const receipt = await this.#parts.pushes.push({ ...target, body, format: 'json', idempotencyKey: null, wait: true })
    if (!('errors' in receipt)) return
    for (const { index, message } of receipt.errors)
      outcomes[rows[index]!.place] = invalidRequest('value.value', message)
  }
}

const bodyOf = (rows: readonly PlacedRow[]): Uint8Array => Buffer.from(`[${rows.map(({ row }) => row).join()}]`)

/** Throws Problem `invalid_request` for a number beyond the range of doubles, and for values that are nested too deeply. */
function rowText(row: Values): string {
  try {
    JSON.stringify(row, (_, one) => {
      if (one === Number.POSITIVE_INFINITY || one === Number.NEGATIVE_INFINITY)
        throw invalidRequest('value.value', 'has a number beyond the range of doubles')
      return typeof one === 'bigint' ? 0 : one
    })
    return textWithLongs(row)
  } catch (error) {
    if (error instanceof RangeError) throw invalidRequest('value.value', 'is nested too deeply')
    throw error
  }
}

/** Field values by name, from an object or a single value. Throws Problem `invalid_request` naming a property that is not a field. */
function valuesIn(value: unknown, fields: readonly EntityField[]): Values {
  const scalar = scalarOf(fields)
  if (scalar !== null) return { [scalar.name]: value }
  const names = fields.map(({ name }) => name)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest('value.value', `must be an object with ${names.join(', ')}`)
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw invalidRequest(
      `value.value.${unknown.slice(0, 128)}`,
      `is not a field of this object, which has ${names.join(', ')}`,
    )
  return { ...value }
}

const words: ReadonlyMap<string, QualityWord> = new Map([
  ['Good', 'good'],
  ['Uncertain', 'uncertain'],
  ['Bad', 'bad'],
])

/** The quality in the ingest's representation; written even if good, because the row may replace one of another quality. */
function qualityFor({ alias, fields }: Ingest, word: QualityWord): Values {
  const field = fields.find(({ role }) => role === 'quality')
  if (field !== undefined)
    return { [field.name]: field.type === 'string' ? word : qualityNumber(word, codingOf(field)) }
  if (word === 'good') return {}
  throw invalidRequest('value.quality', `must be Good: rows of the ingest ${JSON.stringify(alias)} have no quality`)
}

/** Chooses among the ingests that the caller may push to: the first with all of these fields, else the first. Throws the last refusal if there is none. */
function admitted(aliases: readonly string[], names: readonly string[], admit: Admit): Target {
  const targets: Target[] = []
  let refusal = new Problem('forbidden', 'No ingest feeds this entity any more. Ask the operator for one.')
  for (const alias of aliases) {
    try {
      targets.push(admit(alias))
    } catch (error) {
      refusal = problemOf(error)
    }
  }
  const hasAll = ({ ingest }: Target) => names.every((name) => ingest.fields.some((one) => one.name === name))
  const target = targets.find(hasAll) ?? targets[0]
  if (target === undefined) throw refusal
  return target
}

/** Renames fields to the source names of the ingest. */
function rowFor({ fields }: Ingest, values: Values): Values {
  const sources = new Map(fields.map(({ name, source }) => [name, source]))
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [sources.get(name) ?? name, value]))
}

/** Throws errors that are not Problems. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

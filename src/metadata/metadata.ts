import type { ItemCatalog } from '../catalog/catalog.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { didYouMean } from '../lib/likely-word.ts'
import { indexField, type MetadataEntity } from '../model/entity.ts'
import { type Item, itemJson } from '../model/item.ts'
import { isEmptyRange, keyAfter } from '../model/item-key.ts'
import type { NextTokens, TokenScope } from '../model/next-token.ts'
import { invalidRequest, Problem, type ProblemError } from '../model/problem.ts'
import { identifierForms, keyOfText } from './identifier.ts'
import { itemQuery } from './item-query.ts'
import type { Description, DescriptionsRequest, ItemsByIdRequest } from './schemas.ts'

/** Whether the caller may read the metadata entity of this name. An entity that may not be read is treated as missing. */
export type MayRead = (table: string) => boolean

/** JSON, ready to be sent. */
export interface MetadataAnswer {
  readonly bytes: number
  readonly chunks: readonly Uint8Array[]
}

export interface MetadataParts {
  readonly definitions: Pick<Definitions, 'metadataEntity' | 'metadataEntities'>
  readonly items: Pick<ItemCatalog, 'list' | 'find' | 'counts'>
  readonly tokens: NextTokens
  readonly limits: {
    /** A page ends early when its items exceed this number of bytes together. */
    readonly pageBytes: number
    /** The most bytes of items returned for a list of identifiers. */
    readonly resultBytes: number
  }
}

/** Limits of one read, which blocks the event loop for a few milliseconds. */
const sliceItems = 250
const sliceBytes = 512 * 1024

export class Metadata {
  readonly #parts: MetadataParts

  constructor(parts: MetadataParts) {
    this.#parts = parts
  }

  /** In the order of the request, without duplicates; all, by name, for `[]`. Throws Problem `unknown_entity`, which names the missing entities. */
  async describe({ entities }: DescriptionsRequest, mayRead: MayRead): Promise<readonly Description[]> {
    const { items } = this.#parts
    const named = this.#named([...(entities ?? [])], mayRead)
    const asked = named.length > 0 ? named : this.#readable(mayRead)
    const counts = await items.counts()
    return asked.map((entity) => descriptionOf(entity, counts.get(entity.id) ?? 0))
  }

  /**
   * Returns a page of items, sorted by identifier. `query` is the raw query string. Throws Problem `table_not_found`, `invalid_request`,
   * `invalid_token`, and the signal's reason.
   */
  async list(table: string, query: string, mayRead: MayRead, signal: AbortSignal): Promise<MetadataAnswer> {
    const { tokens, items, limits } = this.#parts
    const entity = this.#entity(table, mayRead)
    const { range, limit, token } = itemQuery(query, entity)
    const scope = scopeOf(entity, range)
    let { from } = range
    if (token !== null) from = keyAfter(Buffer.from(tokens.decode(scope, token), 'base64url'))
    const page = new JsonList(limits.pageBytes)
    let last: Item | null = null
    let more = !isEmptyRange({ from, to: range.to })
    while (more && page.length < limit) {
      const itemsMax = Math.min(sliceItems, limit - page.length)
      const slice = await items.list(entity.id, { from, to: range.to }, { itemsMax, bytesMax: sliceBytes })
      more = slice.more
      for (const item of slice.items) {
        if (!page.add(itemJson(entity.fields, item))) return page.answer(tokenAfter(tokens, scope, last))
        last = item
      }
      page.endSlice()
      if (last !== null) from = keyAfter(last.key)
      await breathe(signal)
    }
    return page.answer(more ? tokenAfter(tokens, scope, last) : null)
  }

  /** Returns the existing items of these identifiers, in their order, without duplicates. Throws as `list` does. */
  async find(table: string, request: ItemsByIdRequest, mayRead: MayRead, signal: AbortSignal): Promise<MetadataAnswer> {
    const { items, limits } = this.#parts
    const entity = this.#entity(table, mayRead)
    let keys = keysOf(entity, request.itemsId)
    const found = new JsonList(limits.resultBytes)
    while (keys.length > 0) {
      const slice = await items.find(entity.id, keys.slice(0, sliceItems), sliceBytes)
      keys = keys.slice(slice.keysRead)
      for (const item of slice.items) {
        if (!found.add(itemJson(entity.fields, item))) throw tooMuch(limits.resultBytes)
      }
      found.endSlice()
      await breathe(signal)
    }
    return found.answer()
  }

  /** Throws Problem `table_not_found`. */
  requireTable(table: string, mayRead: MayRead): void {
    this.#entity(table, mayRead)
  }

  #entity(table: string, mayRead: MayRead): MetadataEntity {
    const entity = mayRead(table) ? this.#parts.definitions.metadataEntity(table) : undefined
    if (entity === undefined) throw tableNotFound(table, this.#readable(mayRead))
    return entity
  }

  #readable(mayRead: MayRead): readonly MetadataEntity[] {
    return this.#parts.definitions.metadataEntities().filter(({ name }) => mayRead(name))
  }

  #named(names: readonly string[], mayRead: MayRead): readonly MetadataEntity[] {
    const faults: ProblemError[] = []
    const entities = new Set<MetadataEntity>()
    for (const [index, name] of names.entries()) {
      const entity = mayRead(name) ? this.#parts.definitions.metadataEntity(name) : undefined
      if (entity !== undefined) entities.add(entity)
      else faults.push({ path: `entities[${index}]`, message: `there is no metadata entity ${JSON.stringify(name)}` })
    }
    if (faults.length === 0) return [...entities]
    const listed = faults.slice(0, faultsMax)
    const more = faults.length > listed.length ? `; ${faults.length - listed.length} more are unknown` : ''
    const all = listed.map(({ message }) => message).join('; ')
    throw new Problem('unknown_entity', `In \`entities\`, ${all}${more}. Send [] to list them all.`, {
      errors: listed,
    })
  }
}

/** The most unknown names that an error lists. */
const faultsMax = 20

/** `readable` lists the entities that the caller may read. */
export function tableNotFound(table: string, readable: readonly MetadataEntity[]): Problem {
  const names = readable.map(({ name }) => name)
  return new Problem(
    'table_not_found',
    `There is no metadata entity ${JSON.stringify(table)}.${didYouMean(table, names)} POST /consumer/metadata lists them; names are case-sensitive.`,
  )
}

function descriptionOf(entity: MetadataEntity, items: number): Description {
  return {
    entity: entity.name,
    type: 'metadata',
    index_field: indexField(entity).name,
    fields: entity.fields.map(({ name, type, role }) => {
      if (role !== 'index' && role !== 'attribute') throw new Error('a metadata entity has no field of a series')
      return { name, type, role }
    }),
    items,
  }
}

function scopeOf(entity: MetadataEntity, { from, to }: { from: Uint8Array; to: Uint8Array | null }): TokenScope {
  const text = (key: Uint8Array): string => Buffer.from(key).toString('base64url')
  return ['/consumer/metadata', entity.id, text(from), to === null ? null : text(to)]
}

function tokenAfter(tokens: NextTokens, scope: TokenScope, last: Item | null): string | null {
  return last === null ? null : tokens.encode(scope, Buffer.from(last.key).toString('base64url'))
}

/** The keys of the identifiers, without duplicates. Throws Problem `invalid_request`, which names the first invalid identifier. */
function keysOf(entity: MetadataEntity, ids: readonly string[]): readonly Uint8Array[] {
  const index = indexField(entity)
  const keys = new Map<string, Uint8Array>()
  for (const [place, id] of ids.entries()) {
    const key = keyOfText(index.type, id)
    if (key === null) {
      const what = `the index field "${index.name}" is a ${index.type}: give ${identifierForms[index.type]}`
      throw invalidRequest(`itemsId[${place}]`, what)
    }
    keys.set(Buffer.from(key).toString('latin1'), key)
  }
  return [...keys.values()]
}

function tooMuch(resultBytes: number): Problem {
  return invalidRequest('itemsId', `the items have more than ${resultBytes} bytes (limits.resultBytes); request fewer`)
}

/** Yields to the event loop before the next slice. Throws if the request was aborted. */
async function breathe(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  signal.throwIfAborted()
}

/** A JSON array of a limited number of bytes, built in chunks. The first element is always accepted. */
class JsonList {
  readonly #bytesMax: number
  readonly #chunks: Buffer[] = []
  #slice: string[] = []
  #bytes = 0
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get length(): number {
    return this.#length
  }

  /** Returns false if the element no longer fits; it is not added. */
  add(json: string): boolean {
    const bytes = Buffer.byteLength(json) + 1
    if (this.#length > 0 && this.#bytes + bytes > this.#bytesMax) return false
    this.#bytes += bytes
    this.#slice.push(this.#length === 0 ? json : `,${json}`)
    this.#length++
    return true
  }

  endSlice(): void {
    this.#chunks.push(Buffer.from(this.#slice.join('')))
    this.#slice = []
  }

  /** The array alone or, if a token is passed (null on the last page), a page object with it. */
  answer(token?: string | null): MetadataAnswer {
    this.endSlice()
    const isPage = token !== undefined
    const head = Buffer.from(isPage ? '{"Items":[' : '[')
    const tail = Buffer.from(isPage ? `],"NextToken":${JSON.stringify(token)}}` : ']')
    const chunks = [head, ...this.#chunks, tail]
    return { chunks, bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0) }
  }
}

// Items of metadata entities as objects know them: their identifiers, and in the table that says the hierarchy their parents and names.
import type { ItemCatalog } from '../catalog/catalog.ts'
import { keyOfText } from '../metadata/identifier.ts'
import { type EntityField, indexField, type MetadataEntity } from '../model/entity.ts'
import { type Item, itemJson, itemValues } from '../model/item.ts'
import { allKeys, identifierJson, keyAfter } from '../model/item-key.ts'

/** Which table says the hierarchy, in which attribute the identifier of the parent stands, and in which the name to show. */
export interface Hierarchy {
  readonly table: string
  readonly parent: string
  readonly name: string | null
}

/** As `i3x.hierarchy` writes it; null where it is empty. */
export function hierarchyOf([table, parent, name]: readonly string[]): Hierarchy | null {
  return table === undefined || parent === undefined ? null : { table, parent, name: name ?? null }
}

export interface ItemRecord {
  readonly id: string
  /** The identifier of its parent, if that is there; null at the top, and of tables without hierarchy. */
  readonly parent: string | null
  readonly name: string | null
}

/** How much is read at once: the event loop is held up for a few milliseconds by it. */
const sliceItems = 1000
const sliceBytes = 512 * 1024

export class ItemTables {
  readonly #items: Pick<ItemCatalog, 'list' | 'find'>
  readonly #hierarchy: Hierarchy | null

  constructor(items: Pick<ItemCatalog, 'list' | 'find'>, hierarchy: Hierarchy | null) {
    this.#items = items
    this.#hierarchy = hierarchy
  }

  /** All items of a table, by identifier. */
  async *all(table: MetadataEntity, signal: AbortSignal): AsyncGenerator<readonly ItemRecord[]> {
    for (let from = allKeys.from; ; ) {
      signal.throwIfAborted()
      const limits = { itemsMax: sliceItems, bytesMax: sliceBytes }
      const { items, more } = await this.#items.list(table.id, { from, to: null }, limits)
      yield await this.#records(table, items)
      const last = items.at(-1)
      if (!more || last === undefined) return
      from = keyAfter(last.key)
    }
  }

  /** Those of these identifiers that are there. */
  async find(table: MetadataEntity, ids: readonly string[]): Promise<readonly ItemRecord[]> {
    return this.#records(table, await this.#found(table, ids))
  }

  /** The attributes of those that are there, as JSON, by identifier. */
  async values(table: MetadataEntity, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const items = await this.#found(table, ids)
    return new Map(items.map((item) => [idOf(table, item), itemJson(table.fields, item)]))
  }

  async #found(table: MetadataEntity, ids: readonly string[]): Promise<readonly Item[]> {
    const { type } = indexField(table)
    const found: Item[] = []
    for (let keys = [...new Set(ids)].flatMap((id) => keyOfText(type, id) ?? []); keys.length > 0; ) {
      const slice = await this.#items.find(table.id, keys.slice(0, sliceItems), sliceBytes)
      for (const item of slice.items) found.push(item)
      keys = keys.slice(slice.keysRead)
    }
    return found
  }

  async #records(table: MetadataEntity, items: readonly Item[]): Promise<readonly ItemRecord[]> {
    const shown = this.#hierarchyFields(table)
    const records = items.map((item) => {
      const id = idOf(table, item)
      const [parent, name] = shown === null ? [] : itemValues(shown, item).map(attributeText)
      return { id, parent: parent === id ? null : (parent ?? null), name: name ?? null }
    })
    const parents = records.flatMap(({ parent }) => parent ?? [])
    if (parents.length === 0) return records
    const there = new Set((await this.#found(table, parents)).map((item) => idOf(table, item)))
    return records.map((record) =>
      record.parent === null || there.has(record.parent) ? record : { ...record, parent: null },
    )
  }

  /** The attributes for parent and name; null where the table says no hierarchy. */
  #hierarchyFields({ name, fields }: MetadataEntity): readonly EntityField[] | null {
    if (this.#hierarchy?.table !== name) return null
    const { parent, name: shown } = this.#hierarchy
    const named = (one: string | null): EntityField[] => fields.filter((field) => field.name === one)
    const [first] = named(parent)
    return first === undefined ? null : [first, ...named(shown)]
  }
}

const idOf = (table: MetadataEntity, { key }: Item): string => textOf(identifierJson(indexField(table).type, key))

/** What a JSON text says, as text. */
const textOf = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json)

/** That of an attribute; null of nothing. */
const attributeText = (json: string | null): string | null => (json === null ? null : textOf(json) || null)

// Metadata items in the form that objects need: identifiers, and for the table that defines the hierarchy, parents and names.
import type { ItemCatalog } from '../catalog/catalog.ts'
import { keyOfText } from '../metadata/identifier.ts'
import { type EntityField, indexField, type MetadataEntity } from '../model/entity.ts'
import { type Item, itemValues } from '../model/item.ts'
import { allKeys, identifierText, keyAfter } from '../model/item-key.ts'

/** The table that defines the hierarchy, its attribute with the parent's identifier, and its attribute with the display name. */
export interface Hierarchy {
  readonly table: string
  readonly parent: string
  readonly name: string | null
}

/** Parses `i3x.hierarchy`; null if it is empty. */
export function hierarchyOf([table, parent, name]: readonly string[]): Hierarchy | null {
  return table === undefined || parent === undefined ? null : { table, parent, name: name ?? null }
}

export interface ItemRecord {
  readonly id: string
  /** The parent's identifier if that item exists; null at the top, and in tables without hierarchy. */
  readonly parent: string | null
  readonly name: string | null
  readonly item: Item
}

/** Limits of one read; processing it blocks the event loop for a few milliseconds. */
const sliceItems = 1000
const sliceBytes = 512 * 1024

export class ItemTables {
  readonly #items: Pick<ItemCatalog, 'list' | 'find'>
  readonly #hierarchy: Hierarchy | null

  constructor(items: Pick<ItemCatalog, 'list' | 'find'>, hierarchy: Hierarchy | null) {
    this.#items = items
    this.#hierarchy = hierarchy
  }

  /** All items of a table, ordered by identifier. */
  async *all(table: MetadataEntity, signal: AbortSignal): AsyncGenerator<readonly ItemRecord[]> {
    const parents = new Map<string, boolean>()
    for (let from = allKeys.from; ; ) {
      signal.throwIfAborted()
      const limits = { itemsMax: sliceItems, bytesMax: sliceBytes }
      const { items, more } = await this.#items.list(table.id, { from, to: null }, limits)
      yield await this.#records(table, items, parents)
      const last = items.at(-1)
      if (!more || last === undefined) return
      from = keyAfter(last.key)
    }
  }

  /** The items with these identifiers; missing ones are skipped. */
  async find(table: MetadataEntity, ids: readonly string[]): Promise<readonly ItemRecord[]> {
    return this.#records(table, await this.#found(table, ids), new Map())
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

  /** `parents` caches whether a parent exists. */
  async #records(
    table: MetadataEntity,
    items: readonly Item[],
    parents: Map<string, boolean>,
  ): Promise<readonly ItemRecord[]> {
    const shown = this.#hierarchyFields(table)
    const records = items.map((item) => {
      const id = idOf(table, item)
      const [parent = null, name = null] = shown === null ? [] : itemValues(shown, item).map(attributeText)
      return { id, parent: parent === id ? null : parent, name, item }
    })
    const unknown = [...new Set(records.flatMap(({ parent }) => parent ?? []))].filter((id) => !parents.has(id))
    for (const id of unknown) parents.set(id, false)
    for (const item of await this.#found(table, unknown)) parents.set(idOf(table, item), true)
    for (const record of records) if (record.parent !== null && !parents.get(record.parent)) record.parent = null
    return records
  }

  /** The attributes of parent and name; null if the table does not define the hierarchy. */
  #hierarchyFields({ name, fields }: MetadataEntity): readonly EntityField[] | null {
    if (this.#hierarchy?.table !== name) return null
    const { parent, name: shown } = this.#hierarchy
    const named = (one: string | null): EntityField[] => fields.filter((field) => field.name === one)
    const [first] = named(parent)
    return first === undefined ? null : [first, ...named(shown)]
  }
}

const idOf = (table: MetadataEntity, { key }: Item): string => identifierText(indexField(table).type, key)

/** The text of an attribute; null if it is missing or the empty string. */
function attributeText(json: string | null): string | null {
  if (json === null || !json.startsWith('"')) return json
  return (json.includes('\\') ? String(JSON.parse(json)) : json.slice(1, -1)) || null
}

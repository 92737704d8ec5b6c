// Items of metadata entities as objects know them: their identifiers, and in the table that says the hierarchy their parents and names.
import type { ItemCatalog } from '../catalog/catalog.ts'
import { keyOfText } from '../metadata/identifier.ts'
import { type EntityField, indexField, type MetadataEntity } from '../model/entity.ts'
import { type Item, itemValues } from '../model/item.ts'
import { allKeys, identifierText, keyAfter } from '../model/item-key.ts'

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
  readonly item: Item
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

  /** Those of these identifiers that are there. */
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

  /** `parents`: whether each of those that were looked for before is there. */
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

  /** The attributes for parent and name; null where the table says no hierarchy. */
  #hierarchyFields({ name, fields }: MetadataEntity): readonly EntityField[] | null {
    if (this.#hierarchy?.table !== name) return null
    const { parent, name: shown } = this.#hierarchy
    const named = (one: string | null): EntityField[] => fields.filter((field) => field.name === one)
    const [first] = named(parent)
    return first === undefined ? null : [first, ...named(shown)]
  }
}

const idOf = (table: MetadataEntity, { key }: Item): string => identifierText(indexField(table).type, key)

/** What an attribute says, as text; null of nothing. */
function attributeText(json: string | null): string | null {
  if (json === null || !json.startsWith('"')) return json
  return (json.includes('\\') ? String(JSON.parse(json)) : json.slice(1, -1)) || null
}

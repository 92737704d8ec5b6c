// An item of a metadata entity as it is kept: its key, and its attributes as lines of JSON (docs/formats/metadata-item.md).
import type { EntityField } from './entity.ts'
import { identifierJson } from './item-key.ts'

export interface Item {
  readonly key: Uint8Array
  /** A line `name:json` for each attribute that is not null, in the order of the ingest's fields. JSON in one line holds no line break. */
  readonly attributes: string
}

/** An item on its way into the catalog. Of two of one key, the one of the later position is the item. */
export interface ItemWrite extends Item {
  readonly entityId: number
  readonly position: number
}

/** One line of `Item.attributes`. */
export function attributeLine(name: string, json: string): string {
  return `${name}:${json}\n`
}

/** The item as answers show it: an object of all the entity's fields in their order, an attribute without a line as null. */
export function itemJson(fields: readonly EntityField[], { key, attributes }: Item): string {
  const lines = new AttributeLines(attributes)
  let json = ''
  for (const { name, type, role } of fields) {
    const value = role === 'index' ? identifierJson(type, key) : (lines.valueOf(name) ?? 'null')
    json += `${json === '' ? '{' : ','}"${name}":${value}`
  }
  return `${json}}`
}

/** The JSON of some of the entity's fields, in this order; null for what the item leaves out or has as null. */
export function itemValues(fields: readonly EntityField[], { key, attributes }: Item): (string | null)[] {
  const lines = new AttributeLines(attributes)
  return fields.map(({ name, type, role }) => {
    const value = role === 'index' ? identifierJson(type, key) : lines.valueOf(name)
    return value === undefined || value === 'null' ? null : value
  })
}

/** Lines mostly come in the order in which they are asked for: then each is found where the one before it ended. */
class AttributeLines {
  readonly #text: string
  #at = 0
  /** All lines by name, once one was asked for that does not come next. */
  #byName: ReadonlyMap<string, string> | null = null

  constructor(text: string) {
    this.#text = text
  }

  valueOf(name: string): string | undefined {
    const text = this.#text
    const value = this.#at + name.length
    if (text[value] === ':' && text.startsWith(name, this.#at)) {
      const end = text.indexOf('\n', value)
      this.#at = end + 1
      return text.slice(value + 1, end)
    }
    this.#byName ??= linesByName(text)
    return this.#byName.get(name)
  }
}

function linesByName(text: string): ReadonlyMap<string, string> {
  const lines = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\n', colon)
    lines.set(text.slice(at, colon), text.slice(colon + 1, end))
    at = end + 1
  }
  return lines
}

// A stored item of a metadata entity: its key, and its attributes as lines of JSON (docs/formats/metadata-item.md).
import type { EntityField } from './entity.ts'
import { identifierJson } from './item-key.ts'

export interface Item {
  readonly key: Uint8Array
  /** One `name:json` line for each attribute that is not null, in the order of the ingest's fields. The JSON is single-line, so it contains no line break. */
  readonly attributes: string
}

/** An item to be written to the catalog. Of two writes with one key, the one with the higher position wins. */
export interface ItemWrite extends Item {
  readonly entityId: number
  readonly position: number
}

/** One line of `Item.attributes`. */
export function attributeLine(name: string, json: string): string {
  return `${name}:${json}\n`
}

/** The item as it appears in responses: an object with all of the entity's fields in order; an attribute without a line is null. */
export function itemJson(fields: readonly EntityField[], { key, attributes }: Item): string {
  const lines = new AttributeLines(attributes)
  let json = ''
  for (const { name, type, role } of fields) {
    const value = role === 'index' ? identifierJson(type, key) : (lines.valueOf(name) ?? 'null')
    json += `${json === '' ? '{' : ','}"${name}":${value}`
  }
  return `${json}}`
}

/** The JSON of the given fields, in their order; null for an attribute that is absent or null. */
export function itemValues(fields: readonly EntityField[], { key, attributes }: Item): (string | null)[] {
  const lines = new AttributeLines(attributes)
  return fields.map(({ name, type, role }) => {
    const value = role === 'index' ? identifierJson(type, key) : lines.valueOf(name)
    return value === undefined || value === 'null' ? null : value
  })
}

/** Lines are mostly requested in stored order; each is then found where the previous one ended, without a search. */
class AttributeLines {
  readonly #text: string
  #at = 0
  /** All lines by name; built on the first request out of order. */
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

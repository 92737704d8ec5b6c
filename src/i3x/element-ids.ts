// Element ids encode everything about an element, so no elements need to be stored. Names of entities and tables contain no colon.
import { hasHalfPair } from '../lib/half-pairs.ts'

export type Element =
  | { readonly kind: 'entity'; readonly entity: string }
  /** The tags with a prefix, which ends with a separator. */
  | { readonly kind: 'folder'; readonly entity: string; readonly prefix: string }
  | { readonly kind: 'tag'; readonly entity: string; readonly tag: string }
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'item'; readonly table: string; readonly item: string }

/** A folder ends after each of these characters of a tag. */
const separators = /[./]/

/** Characters that an id must not contain and that are therefore escaped: `%`, unprintable characters, and trailing space. */
const unprintable = /%|[\p{C}\p{Zl}\p{Zp}]|[^\S ]|\s$/gu

export function elementId(element: Element): string {
  switch (element.kind) {
    case 'entity':
      return `entity:${element.entity}`
    case 'folder':
      return `folder:${element.entity}:${escaped(element.prefix)}`
    case 'tag':
      return `tag:${element.entity}:${escaped(element.tag)}`
    case 'table':
      return `table:${element.table}`
    case 'item':
      return `item:${element.table}:${escaped(element.item)}`
  }
}

/** Parses an id; null if it is not exactly as `elementId` writes it. */
export function elementOf(id: string): Element | null {
  if (hasHalfPair(id)) return null
  const [, kind, name, , text] = /^([a-z]+):([^:]+)(:(.*))?$/su.exec(id) ?? []
  const element = kind === undefined || name === undefined ? null : read(kind, name, unescaped(text))
  return element !== null && elementId(element) === id ? element : null
}

function read(kind: string, name: string, text: string | null): Element | null {
  if (kind === 'entity') return { kind, entity: name }
  if (kind === 'table') return { kind, table: name }
  if (text === null) return null
  if (kind === 'tag') return { kind, entity: name, tag: text }
  if (kind === 'item') return { kind, table: name, item: text }
  return kind === 'folder' && separators.test(text.slice(-1)) ? { kind, entity: name, prefix: text } : null
}

/** Matches most texts, and is faster than checking each character. */
const printable = /^[!-$&-~]*$/

const escaped = (text: string): string => (printable.test(text) ? text : text.replace(unprintable, encodeURIComponent))

function unescaped(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The parent of a tag or of a folder's prefix: the enclosing folder, or the entity. */
export function parentOf(entity: string, text: string): Element {
  // Skips a trailing separator: it ends the text itself, not its parent.
  const end = text.slice(0, -1).search(/[./][^./]*$/)
  return end === -1 ? { kind: 'entity', entity } : { kind: 'folder', entity, prefix: text.slice(0, end + 1) }
}

/** The direct child of a folder (`''`: of the entity) on the path to a tag: the tag itself, or the folder that contains it. */
export function childIn(entity: string, prefix: string, tag: string): Element {
  const end = tag.slice(prefix.length, -1).search(separators)
  const until = prefix.length + end + 1
  return end === -1 ? { kind: 'tag', entity, tag } : { kind: 'folder', entity, prefix: tag.slice(0, until) }
}

/** The last segment of a tag or prefix; never empty. */
export function lastPart(text: string): string {
  const part = text.replace(/[./]$/, '').replace(/^.*[./]/s, '')
  return part === '' ? text : part
}

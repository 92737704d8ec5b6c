// Elements by their ids: what an object is can be read from its id, so that none is kept. Names of entities and tables hold no colon.
import { hasHalfPair } from '../lib/half-pairs.ts'

export type Element =
  | { readonly kind: 'entity'; readonly entity: string }
  /** The tags that begin with a prefix, which ends with a separator. */
  | { readonly kind: 'folder'; readonly entity: string; readonly prefix: string }
  | { readonly kind: 'tag'; readonly entity: string; readonly tag: string }
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'item'; readonly table: string; readonly item: string }

/** The part of tags of which folders are made: one ends behind each of these characters. */
const separators = /[./]/

/** What an id may not hold: characters that do not print, and space at its end. */
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

/** Null of a text that is no id of an element, as `elementId` writes it. */
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

/** Most texts, which are seen to be so faster than each character is looked up. */
const printable = /^[!-$&-~]*$/

const escaped = (text: string): string => (printable.test(text) ? text : text.replace(unprintable, encodeURIComponent))

function unescaped(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Where a tag, or a folder by its prefix, lies: the folder around it, or the entity. */
export function parentOf(entity: string, text: string): Element {
  // What ends with a separator lies in the folder before that.
  const end = text.slice(0, -1).search(/[./][^./]*$/)
  return end === -1 ? { kind: 'entity', entity } : { kind: 'folder', entity, prefix: text.slice(0, end + 1) }
}

/** What lies directly in a folder (`''`: in the entity) around a tag: the tag itself, or the folder that holds it. */
export function childIn(entity: string, prefix: string, tag: string): Element {
  const end = tag.slice(prefix.length, -1).search(separators)
  const until = prefix.length + end + 1
  return end === -1 ? { kind: 'tag', entity, tag } : { kind: 'folder', entity, prefix: tag.slice(0, until) }
}

/** The last part of a tag or prefix; never empty. */
export function lastPart(text: string): string {
  const part = text.replace(/[./]$/, '').replace(/^.*[./]/s, '')
  return part === '' ? text : part
}

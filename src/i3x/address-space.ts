// The objects and their relationships: derived from definitions, tags and items on each request, never stored.

import type { ItemCatalog } from '../catalog/catalog.ts'
import type { Definitions } from '../catalog/definitions.ts'
import { addTo } from '../lib/add-to.ts'
import { compareCodePoints } from '../lib/compare-code-points.ts'
import type { Entity, MetadataEntity } from '../model/entity.ts'
import { itemJson } from '../model/item.ts'
import type { TagLists } from '../query/tag-lists.ts'
import type { I3xCaller } from './caller.ts'
import { childIn, type Element, elementId, elementOf, lastPart, parentOf } from './element-ids.ts'
import { type Hierarchy, type ItemRecord, ItemTables } from './item-tables.ts'
import { namespacesOf, type ObjectType, objectTypes, type Relationship, typeIdOf } from './object-types.ts'

export interface AddressSpaceParts {
  readonly definitions: Pick<Definitions, 'entity' | 'entities' | 'metadataEntity' | 'metadataEntities'>
  readonly tagLists: Pick<TagLists, 'page'>
  readonly items: Pick<ItemCatalog, 'list' | 'find'>
  readonly hierarchy: Hierarchy | null
  readonly namespaceUri: string
  /** Maximum objects in a response. */
  readonly objectsMax: number
}

export interface I3xObject {
  readonly elementId: string
  readonly displayName: string
  readonly typeElementId: string
  readonly parentId: string | null
  readonly isComposition: boolean
  readonly isExtended: false
}

export interface Listed {
  readonly objects: readonly I3xObject[]
  /** Whether objects were omitted because of the limit. */
  readonly isPart: boolean
}

export interface Edge {
  readonly sourceRelationship: Relationship
  readonly object: I3xObject
}

/** An existing object with its element. */
export interface Found {
  readonly element: Element
  readonly object: I3xObject
  /** The item's attributes as JSON; absent for other objects. */
  readonly json?: string
}

/** The requested elements of one entity. */
export interface OfEntity {
  readonly entity: Entity
  /** Element ids by tag. */
  readonly tags: ReadonlyMap<string, string>
  /** Element id of the entity itself, which stands for all of its rows; null if it was not requested. */
  readonly whole: string | null
}

/** The page size limit of tag lists. */
const pageTags = 10_000
/** Page size when listing children; after each page the scan skips to the end of the last folder. */
const browsedTags = 1000

export class AddressSpace {
  readonly #parts: AddressSpaceParts
  readonly #tables: ItemTables

  constructor(parts: AddressSpaceParts) {
    this.#parts = parts
    this.#tables = new ItemTables(parts.items, parts.hierarchy)
  }

  get namespaces() {
    return namespacesOf(this.#parts.namespaceUri)
  }

  types({ reader }: I3xCaller): readonly ObjectType[] {
    return objectTypes(this.#parts.namespaceUri, this.#entities(reader), this.#metadata(reader))
  }

  /** The entity of this name (`table`: the metadata entity); undefined if there is none that the caller may read. */
  entity(name: string, { reader }: Pick<I3xCaller, 'reader'>): Entity | undefined {
    return reader.mayRead(name) ? this.#parts.definitions.entity(name) : undefined
  }

  table(name: string, { reader }: Pick<I3xCaller, 'reader'>): MetadataEntity | undefined {
    return reader.mayRead(name) ? this.#parts.definitions.metadataEntity(name) : undefined
  }

  /** The objects without a parent. */
  async roots(caller: I3xCaller): Promise<Listed> {
    const collected = new Collected(this.#parts.objectsMax)
    const hierarchy = this.#hierarchyTable(caller)
    for (const { name } of this.#entities(caller.reader)) collected.add(entityObject(name))
    for (const table of this.#metadata(caller.reader)) if (table !== hierarchy) collected.add(tableObject(table.name))
    if (hierarchy !== undefined) {
      for await (const records of this.#tables.all(hierarchy, caller.cancellation.signal)) {
        const roots = records.filter(({ parent }) => parent === null).slice(0, collected.remaining + 1)
        for (const object of await this.#itemObjects(hierarchy, roots, caller)) collected.add(object)
      }
    }
    return collected
  }

  /** All objects, parents before children; only those of one type unless `typeId` is null. */
  async all(typeId: string | null, caller: I3xCaller): Promise<Listed> {
    const collected = new Collected(this.#parts.objectsMax)
    for await (const objects of this.#everything((id) => typeId === null || id === typeId, caller)) {
      for (const object of objects) collected.add(object)
      if (collected.isPart) break
    }
    return collected
  }

  async *#everything(wants: (typeId: string) => boolean, caller: I3xCaller): AsyncGenerator<readonly I3xObject[]> {
    const { cancellation, reader } = caller
    const wanted = (objects: readonly I3xObject[]) => objects.filter(({ typeElementId }) => wants(typeElementId))
    for (const { name } of this.#entities(reader)) {
      yield wanted([entityObject(name)])
      if (!wants(typeIdOf.tag(name)) && !wants(typeIdOf.folder())) continue
      const folders = new Set<string>()
      for await (const tags of this.#tags(name, caller)) {
        yield wanted(tags.flatMap((tag) => [...newFolders(name, tag, folders), tagObject(name, tag)]))
      }
    }
    for (const table of this.#metadata(reader)) {
      if (table !== this.#hierarchyTable(caller)) yield wanted([tableObject(table.name)])
      if (!wants(typeIdOf.item(table.name))) continue
      for await (const records of this.#tables.all(table, cancellation.signal)) {
        yield await this.#itemObjects(table, records.slice(0, this.#parts.objectsMax + 1), caller)
      }
    }
  }

  /** The elements that exist and that the caller may read. */
  async find(ids: readonly string[], caller: I3xCaller): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>()
    const take = (element: Element, object: I3xObject) => found.set(object.elementId, { element, object })
    const elements = [...new Set(ids)].flatMap((id) => elementOf(id) ?? [])
    for (const [name, tags] of grouped(elements, (one) => (one.kind === 'tag' ? [one.entity, one.tag] : null))) {
      if (this.entity(name, caller) === undefined) continue
      for (const tag of await this.#tagsThereOf(name, tags, caller))
        take({ kind: 'tag', entity: name, tag }, tagObject(name, tag))
    }
    for (const [name, items] of grouped(elements, (one) => (one.kind === 'item' ? [one.table, one.item] : null))) {
      const table = this.table(name, caller)
      if (table === undefined) continue
      const records = await this.#tables.find(table, items)
      for (const [at, object] of (await this.#itemObjects(table, records, caller)).entries())
        found.set(object.elementId, {
          ...{ element: { kind: 'item', table: name, item: records[at]!.id }, object },
          json: itemJson(table.fields, records[at]!.item),
        })
    }
    for (const element of elements) {
      const object = await this.#holder(element, caller)
      if (object !== null) take(element, object)
    }
    return found
  }

  /** Groups the objects whose values are rows by entity. */
  byEntity(found: readonly Found[], caller: I3xCaller): readonly OfEntity[] {
    const groups = new Map<Entity, { tags: Map<string, string>; whole: string | null }>()
    for (const { element, object } of found) {
      if (element.kind !== 'tag' && element.kind !== 'entity') continue
      const entity = this.entity(element.entity, caller)
      if (entity === undefined) continue
      const asked = groups.get(entity) ?? { tags: new Map<string, string>(), whole: null }
      groups.set(entity, asked)
      if (element.kind === 'tag') asked.tags.set(element.tag, object.elementId)
      else asked.whole = object.elementId
    }
    return [...groups].map(([entity, asked]) => ({ entity, ...asked }))
  }

  async #holder(element: Element, caller: I3xCaller): Promise<I3xObject | null> {
    if (element.kind === 'entity')
      return this.entity(element.entity, caller) === undefined ? null : entityObject(element.entity)
    if (element.kind === 'table') {
      const table = this.table(element.table, caller)
      return table === undefined || table === this.#hierarchyTable(caller) ? null : tableObject(table.name)
    }
    if (element.kind !== 'folder' || this.entity(element.entity, caller) === undefined) return null
    const { entity, prefix } = element
    // A tag with the same name as the folder is not in the folder.
    const { tags } = await this.#page(entity, { prefix, limit: 2, after: null }, caller)
    return tags.some((tag) => tag !== prefix) ? folderObject(entity, prefix) : null
  }

  /** The relationships of each existing element; only those of one kind unless `only` is null. */
  async related(
    found: ReadonlyMap<string, Found>,
    only: Relationship | null,
    caller: I3xCaller,
  ): Promise<{ readonly edges: ReadonlyMap<string, readonly Edge[]>; readonly isPart: boolean }> {
    const wants = (one: Relationship) => only === null || only === one
    const edges = new Map([...found.keys()].map((id): [string, Edge[]] => [id, []]))
    let remaining = this.#parts.objectsMax
    let isPart = false
    const add = (id: string, sourceRelationship: Relationship, object: I3xObject): void => {
      if (remaining > 0) edges.get(id)!.push({ sourceRelationship, object })
      else isPart = true
      remaining--
    }
    if (wants('HasParent')) {
      const parents = await this.find(
        [...found.values()].flatMap(({ object }) => object.parentId ?? []),
        caller,
      )
      for (const [id, { object }] of found) {
        const parent = parents.get(object.parentId ?? '')
        if (parent !== undefined) add(id, 'HasParent', parent.object)
      }
    }
    if (wants('HasChildren')) {
      for await (const [id, child] of this.#children(found, () => remaining, caller)) add(id, 'HasChildren', child)
    }
    for (const [id, relationship, object] of await this.#compositions(found, caller)) {
      if (wants(relationship)) add(id, relationship, object)
    }
    return { edges, isPart }
  }

  /** The tags that form the components of hierarchy items, by the item's element id: a component is a tag equal to the item's identifier. */
  async components(found: ReadonlyMap<string, Found>, caller: I3xCaller): Promise<ReadonlyMap<string, Found[]>> {
    const components = new Map<string, Found[]>()
    for (const [id, relationship, object] of await this.#compositions(found, caller)) {
      const element = elementOf(object.elementId)
      if (relationship === 'HasComponent' && element !== null) addTo(components, id, { element, object })
    }
    return components
  }

  async *#children(
    found: ReadonlyMap<string, Found>,
    remaining: () => number,
    caller: I3xCaller,
  ): AsyncGenerator<readonly [id: string, child: I3xObject]> {
    const parents = new Set<string>()
    const tables = new Set<string>()
    for (const [id, { element }] of found) {
      if (element.kind === 'entity' || element.kind === 'folder') {
        const prefix = element.kind === 'entity' ? '' : element.prefix
        for await (const child of this.#below(element.entity, prefix, caller)) {
          yield [id, child]
          if (remaining() < 0) return
        }
      } else if (element.kind !== 'tag') {
        parents.add(id)
        tables.add(element.table)
      }
    }
    const hierarchy = this.#hierarchyTable(caller)
    for (const table of this.#metadata(caller.reader)) {
      if (!tables.has(table.name)) continue
      for await (const records of this.#tables.all(table, caller.cancellation.signal)) {
        const children = records.filter((record) => parents.has(itemParentId(table, record, hierarchy) ?? ''))
        for (const object of await this.#itemObjects(table, children.slice(0, remaining() + 1), caller))
          yield [object.parentId!, object]
        if (remaining() < 0) return
      }
    }
  }

  /** The direct children of a prefix. A folder costs one page of tags, whatever its size. */
  async *#below(entity: string, prefix: string, caller: I3xCaller): AsyncGenerator<I3xObject> {
    let after: string | null = null
    let lastId = ''
    for (;;) {
      const { tags, more } = await this.#page(entity, { prefix, after, limit: browsedTags }, caller)
      let last: Element | null = null
      for (const tag of tags) {
        if (tag === prefix) continue
        last = childIn(entity, prefix, tag)
        const id = elementId(last)
        if (id === lastId) continue
        lastId = id
        yield last.kind === 'folder' ? folderObject(entity, last.prefix) : tagObject(entity, tag)
      }
      const lastTag = tags.at(-1)
      if (!more || lastTag === undefined) return
      after = lastTag
      if (last?.kind !== 'folder') continue
      // Tags that continue with a higher character are rare; they are read page by page.
      const behind = `${last.prefix}\ud7ff`
      if (compareCodePoints(behind, lastTag) > 0) after = behind
    }
  }

  /** Relationships between hierarchy items and the tags equal to their identifiers, in both directions. */
  async #compositions(
    found: ReadonlyMap<string, Found>,
    caller: I3xCaller,
  ): Promise<readonly (readonly [id: string, Relationship, I3xObject])[]> {
    const table = this.#hierarchyTable(caller)
    if (table === undefined) return []
    const all = [...found.values()]
    const items = all.flatMap(({ element: one }) => (one.kind === 'item' && one.table === table.name ? one.item : []))
    const tags = all.flatMap(({ element }) => (element.kind === 'tag' ? element : []))
    const edges: (readonly [string, Relationship, I3xObject])[] = []
    for (const [item, entities] of await this.#tagsNamed(items, caller)) {
      const id = elementId({ kind: 'item', table: table.name, item })
      for (const entity of entities) edges.push([id, 'HasComponent', tagObject(entity, item)])
    }
    const records = await this.#tables.find(
      table,
      tags.map(({ tag }) => tag),
    )
    const objects = await this.#itemObjects(table, records, caller)
    const byTag = new Map(records.map(({ id }, at) => [id, objects[at]!]))
    for (const tag of tags) {
      const object = byTag.get(tag.tag)
      if (object !== undefined) edges.push([elementId(tag), 'ComponentOf', object])
    }
    return edges
  }

  async #itemObjects(
    table: MetadataEntity,
    records: readonly ItemRecord[],
    caller: I3xCaller,
  ): Promise<readonly I3xObject[]> {
    const hierarchy = this.#hierarchyTable(caller)
    const tags = await this.#tagsNamed(table === hierarchy ? records.map(({ id }) => id) : [], caller)
    return records.map((record) => ({
      elementId: elementId({ kind: 'item', table: table.name, item: record.id }),
      displayName: record.name ?? (record.id === '' ? table.name : record.id),
      typeElementId: typeIdOf.item(table.name),
      parentId: itemParentId(table, record, hierarchy),
      isComposition: tags.has(record.id),
      isExtended: false,
    }))
  }

  /** For each name that exists as a tag: the entities with that tag. */
  async #tagsNamed(names: readonly string[], caller: I3xCaller): Promise<ReadonlyMap<string, readonly string[]>> {
    const entities = new Map<string, string[]>()
    if (names.length === 0) return entities
    for (const { name } of this.#entities(caller.reader)) {
      for (const tag of await this.#tagsThereOf(name, names, caller)) addTo(entities, tag, name)
    }
    return entities
  }

  async #tagsThereOf(entity: string, tags: readonly string[], caller: I3xCaller): Promise<readonly string[]> {
    const there: string[] = []
    for (let from = 0; from < tags.length; from += pageTags) {
      const ids = tags.slice(from, from + pageTags)
      for (let after: string | null = null; ; ) {
        const page = await this.#page(entity, { ids, after, limit: pageTags }, caller)
        for (const tag of page.tags) there.push(tag)
        after = page.tags.at(-1) ?? null
        if (!page.more || after === null) break
      }
    }
    return there
  }

  async *#tags(entity: string, caller: I3xCaller): AsyncGenerator<readonly string[]> {
    for (let after: string | null = null; ; ) {
      const { tags, more } = await this.#page(entity, { after, limit: pageTags }, caller)
      yield tags
      after = tags.at(-1) ?? null
      if (!more || after === null) return
    }
  }

  #page(entity: string, asked: Parameters<TagLists['page']>[1], { reader, cancellation }: I3xCaller) {
    return this.#parts.tagLists.page(entity, asked, cancellation.signal, reader)
  }

  #entities({ mayRead }: I3xCaller['reader']): readonly Entity[] {
    return this.#parts.definitions.entities().filter(({ name }) => mayRead(name))
  }

  #metadata({ mayRead }: I3xCaller['reader']): readonly MetadataEntity[] {
    return this.#parts.definitions.metadataEntities().filter(({ name }) => mayRead(name))
  }

  #hierarchyTable(caller: Pick<I3xCaller, 'reader'>): MetadataEntity | undefined {
    const { hierarchy } = this.#parts
    return hierarchy === null ? undefined : this.table(hierarchy.table, caller)
  }
}

class Collected implements Listed {
  readonly objects: I3xObject[] = []
  readonly #objectsMax: number
  isPart = false

  constructor(objectsMax: number) {
    this.#objectsMax = objectsMax
  }

  get remaining(): number {
    return this.#objectsMax - this.objects.length
  }

  add(object: I3xObject): void {
    if (this.remaining > 0) this.objects.push(object)
    else this.isPart = true
  }
}

/** Groups the values by name, in the order of the elements. */
function grouped(
  elements: readonly Element[],
  of: (element: Element) => readonly [name: string, value: string] | null,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const element of elements) {
    const [name, value] = of(element) ?? []
    if (name !== undefined && value !== undefined) addTo(groups, name, value)
  }
  return groups
}

/** The ancestor folders of a tag that are not in `known` yet, outermost first; adds them to it. */
function newFolders(entity: string, tag: string, known: Set<string>): readonly I3xObject[] {
  const folders: I3xObject[] = []
  for (let around = parentOf(entity, tag); around.kind === 'folder'; around = parentOf(entity, around.prefix)) {
    if (known.has(around.prefix)) break
    known.add(around.prefix)
    folders.unshift(folderObject(entity, around.prefix))
  }
  return folders
}

/** The element id of the item's parent; null at the top of the hierarchy table. */
function itemParentId(
  table: MetadataEntity,
  { parent }: ItemRecord,
  hierarchy: MetadataEntity | undefined,
): string | null {
  if (parent !== null) return elementId({ kind: 'item', table: table.name, item: parent })
  return table === hierarchy ? null : elementId({ kind: 'table', table: table.name })
}

const isPlain = { isComposition: false, isExtended: false } as const

const entityObject = (entity: string): I3xObject => ({
  ...{ elementId: elementId({ kind: 'entity', entity }), displayName: entity, typeElementId: typeIdOf.entity(entity) },
  ...{ parentId: null, ...isPlain },
})

const tableObject = (table: string): I3xObject => ({
  ...{ elementId: elementId({ kind: 'table', table }), displayName: table, typeElementId: typeIdOf.table() },
  ...{ parentId: null, ...isPlain },
})

const folderObject = (entity: string, prefix: string): I3xObject => ({
  ...{ elementId: elementId({ kind: 'folder', entity, prefix }), displayName: lastPart(prefix) },
  ...{ typeElementId: typeIdOf.folder(), parentId: elementId(parentOf(entity, prefix)), ...isPlain },
})

const tagObject = (entity: string, tag: string): I3xObject => ({
  ...{ elementId: elementId({ kind: 'tag', entity, tag }), displayName: tag === '' ? entity : lastPart(tag) },
  ...{ typeElementId: typeIdOf.tag(entity), parentId: elementId(parentOf(entity, tag)), ...isPlain },
})

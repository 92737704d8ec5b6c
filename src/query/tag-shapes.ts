// Shapes of tags from metadata: an attribute of the item whose identifier is the tag.
import type { ItemCatalog } from '../catalog/catalog.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { Shape, ShapeFrom } from '../model/entity.ts'
import { indexField } from '../model/entity.ts'
import { type Item, itemValues } from '../model/item.ts'
import { allKeys, identifierText, keyAfter, keyOfString } from '../model/item-key.ts'
import type { Selection } from '../model/plan.ts'

export interface TagShapeParts {
  readonly definitions: Pick<Definitions, 'metadataEntity'>
  readonly items: Pick<ItemCatalog, 'list' | 'find'>
}

const sliceItems = 10_000
const sliceBytes = 4 * 1024 * 1024

/** The selected tags that have their own shape; none if the table or the attribute no longer exists. */
export async function tagShapes(
  { table, attribute }: ShapeFrom,
  { ids, prefixes }: Pick<Selection, 'ids' | 'prefixes'>,
  { definitions, items }: TagShapeParts,
): Promise<[tag: string, shape: Shape][]> {
  const entity = definitions.metadataEntity(table)
  const field = entity?.fields.find(({ name, role }) => name === attribute && role === 'attribute')
  if (entity === undefined || field === undefined || indexField(entity).type !== 'string') return []
  const found: [string, Shape][] = []
  const take = (slice: readonly Item[]): void => {
    for (const item of slice) {
      const tag = identifierText('string', item.key)
      const shape = shapeIn(itemValues([field], item)[0] ?? null)
      const isSelected = prefixes === null || prefixes.some((prefix) => tag.startsWith(prefix))
      if (shape !== null && isSelected) found.push([tag, shape])
    }
  }
  if (ids === null) {
    for (let from = allKeys.from; ; ) {
      const page = await items.list(entity.id, { from, to: null }, { itemsMax: sliceItems, bytesMax: sliceBytes })
      take(page.items)
      const last = page.items.at(-1)
      if (!page.more || last === undefined) return found
      from = keyAfter(last.key)
    }
  }
  for (let keys = ids.map(keyOfString); keys.length > 0; ) {
    const slice = await items.find(entity.id, keys.slice(0, sliceItems), sliceBytes)
    take(slice.items)
    keys = keys.slice(slice.keysRead)
  }
  return found
}

function shapeIn(json: string | null): Shape | null {
  if (json === '"step"' || json === 'true') return 'step'
  return json === '"line"' || json === 'false' ? 'line' : null
}

import type { TidemarkClient } from '../../client/client.ts'
import { instrumentsOf } from './plant.ts'

/** The metadata of the demo: what is known of each instrument, by its tag. */
export const tagsAlias = 'tags'

export const tagFields = [
  { name: 'tag', type: 'string', role: 'index' },
  { name: 'description', type: 'string', role: 'attribute' },
  { name: 'area', type: 'string', role: 'attribute' },
  { name: 'unit', type: 'string', role: 'attribute' },
  { name: 'usual', type: 'double', role: 'attribute' },
] as const

/** Pushes an item for each instrument; one that is there already is replaced by the same. */
export async function pushTags(client: Pick<TidemarkClient, 'push'>, seed: number): Promise<void> {
  const items = instrumentsOf(seed).map(({ tag, area, unit, quantity, base }) => ({
    tag,
    description: `${quantity} in the ${area} area`,
    area,
    unit,
    usual: Math.round(base * 10) / 10,
  }))
  await client.push(tagsAlias, JSON.stringify(items), { format: 'json' })
}

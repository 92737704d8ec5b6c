import type { ItemCatalog } from '../../catalog/catalog.ts'
import { Serial } from '../../lib/serial.ts'

type ItemReads = Pick<ItemCatalog, 'inOneState'>

/** Whatever many queries read of metadata holds one connection to PostgreSQL: pushes and validation need the others. */
export function oneAtATime(items: ItemReads): ItemReads {
  const turns = new Serial()
  return { inOneState: (read) => turns.run(() => items.inOneState(read)) }
}

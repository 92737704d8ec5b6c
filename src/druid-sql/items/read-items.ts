// Reads the items of metadata that a query needs from the catalog, as they are at one moment.

import type { ItemCatalog } from '../../catalog/catalog.ts'
import type { CancelSignal } from '../../lib/cancellation.ts'
import { Serial } from '../../lib/serial.ts'
import type { MetadataEntity } from '../../model/entity.ts'
import type { FieldType } from '../../model/field.ts'
import { parseInstant } from '../../model/instant.ts'
import { type Item, itemValues } from '../../model/item.ts'
import { allKeys, isEmptyRange, type KeyRange, keyAfter } from '../../model/item-key.ts'
import { Problem } from '../../model/problem.ts'
import type { EngineItems, EngineItemType, EngineItemValue } from '../../sql-engine/sql-engine.ts'
import { isMet, keyRangeOf } from './item-condition.ts'
import type { NeededItems } from './needed-items.ts'

export interface MetadataLimits {
  readonly metadataRows: number
  readonly metadataBytes: number
}

export interface ItemsParts {
  /** A separate reader: it may keep the state of one moment for as long as the largest table takes to read. */
  readonly items: Pick<ItemCatalog, 'inOneState'>
  readonly limits: MetadataLimits
}

/** The amount that is read at once, which blocks the event loop for a few milliseconds. */
const slice = { itemsMax: 250, bytesMax: 512 * 1024 }

/**
 * Reads the items that a query needs of these metadata entities, all in one state. Throws Problem `result_too_large` where they exceed the limits, and
 * the signal's reason when it is aborted.
 */
export async function readItems(
  needed: readonly NeededItems[],
  entities: readonly MetadataEntity[],
  { items, limits }: ItemsParts,
  signal: CancelSignal,
): Promise<readonly EngineItems[]> {
  if (needed.length === 0) return []
  const taken = new ItemCounter(limits)
  return items.inOneState(async (list) => {
    const tables: EngineItems[] = []
    for (const one of needed) {
      const entity = entities.find(({ id }) => id === one.entityId)
      if (entity === undefined) throw new Error('a query reads items of an entity that it was not given')
      tables.push(await readTable(entity, one, list, taken, signal))
    }
    return tables
  })
}

async function readTable(
  entity: MetadataEntity,
  { places, condition }: NeededItems,
  list: ItemCatalog['list'],
  taken: ItemCounter,
  signal: CancelSignal,
): Promise<EngineItems> {
  const { fields } = entity
  const index = fields.findIndex(({ role }) => role === 'index')
  const rows = new ItemRows(entity, { places, condition })
  let { from, to }: KeyRange = condition === null ? allKeys : keyRangeOf(condition, index, fields[index]!.type)
  for (let more = !isEmptyRange({ from, to }); more; ) {
    const page = await list(entity.id, { from, to }, slice)
    more = page.more
    for (const item of page.items) taken.add(rows.add(item), entity.name)
    const last = page.items.at(-1)
    if (last !== undefined) from = keyAfter(last.key)
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  }
  return rows.table
}

/** Items as columns of values. */
class ItemRows {
  readonly #entity: MetadataEntity
  readonly #needed: Pick<NeededItems, 'places' | 'condition'>
  readonly #columns: EngineItemValue[][]
  #rows = 0

  constructor(entity: MetadataEntity, needed: Pick<NeededItems, 'places' | 'condition'>) {
    this.#entity = entity
    this.#needed = needed
    this.#columns = needed.places.map(() => [])
  }

  /** Returns the bytes that the item takes; null if it is excluded. */
  add(item: Item): number | null {
    const { fields } = this.#entity
    const { places, condition } = this.#needed
    const texts = itemValues(fields, item)
    const valueAt = (place: number): EngineItemValue => valueIn(fields[place]!.type, texts[place]!)
    if (condition !== null && !isMet(condition, valueAt)) return null
    this.#rows++
    places.forEach((place, index) => {
      this.#columns[index]!.push(valueAt(place))
    })
    return places.reduce((bytes, place) => bytes + Math.max(8, texts[place]?.length ?? 0), 0)
  }

  get table(): EngineItems {
    const { id, fields } = this.#entity
    const columns = this.#needed.places.map((place, index) => ({
      place,
      type: engineTypes[fields[place]!.type],
      values: this.#columns[index]!,
    }))
    return { entityId: id, rows: this.#rows, columns }
  }
}

const engineTypes: Readonly<Record<FieldType, EngineItemType>> = {
  string: 'string',
  json: 'string',
  double: 'double',
  long: 'long',
  boolean: 'long',
  timestamp: 'timestamp',
}

/** The value of a field from its JSON. */
function valueIn(type: FieldType, text: string | null): EngineItemValue {
  if (text === null) return null
  switch (type) {
    case 'string':
      return JSON.parse(text)
    case 'json':
      return wholeCharacters(text)
    case 'double':
      return Number(text)
    case 'long':
      return BigInt(text)
    case 'boolean':
      return text === 'true' ? 1n : 0n
    case 'timestamp':
      return parseInstant(JSON.parse(text))
  }
}

const escapes = /\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)/gs

/** Replaces halves of surrogate pairs, which pushed JSON may have as escapes, but the engines' JSON may not. */
function wholeCharacters(json: string): string {
  if (!/\\u[dD]/.test(json)) return json
  return json.replace(escapes, (whole, _high, _low, half) => (half === undefined ? whole : '\\ufffd'))
}

/** Counts the items and bytes that one query reads from all its tables. */
class ItemCounter {
  readonly #limits: MetadataLimits
  #rows = 0
  #bytes = 0

  constructor(limits: MetadataLimits) {
    this.#limits = limits
  }

  add(bytes: number | null, table: string): void {
    if (bytes === null) return
    const { metadataRows, metadataBytes } = this.#limits
    this.#rows++
    this.#bytes += bytes
    if (this.#rows > metadataRows) throw tooMuch(table, `${metadataRows} items of metadata`, 'sql.metadataRows')
    if (this.#bytes > metadataBytes) throw tooMuch(table, `${metadataBytes} bytes of metadata`, 'sql.metadataBytes')
  }
}

function tooMuch(table: string, what: string, limit: string): Problem {
  return new Problem(
    'result_too_large',
    `The query needs more than ${what}, which is ${limit}, and reached that at table ${JSON.stringify(table)}. In the SELECT that names the table, ` +
      "compare its columns with constants in WHERE or ON: =, <, >, IN, BETWEEN, LIKE 'x%', IS NOT NULL. A condition that uses functions does not reduce the items that are read.",
  )
}

type ItemReads = Pick<ItemCatalog, 'inOneState'>

/** Limits the metadata reads of all queries to one connection to PostgreSQL: pushes and validation need the others. */
export function oneAtATime(items: ItemReads): ItemReads {
  const turns = new Serial()
  return { inOneState: (read) => turns.run(() => items.inOneState(read)) }
}

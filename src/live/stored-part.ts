// Rows that were stored together, as readers receive them: looked up by tag, and formatted once for all readers with the same output.
import { addTo } from '../lib/add-to.ts'
import { nullCode } from '../model/column.ts'
import type { EntityField } from '../model/entity.ts'
import { outputFields, type Selection } from '../model/plan.ts'
import { timesOf } from '../model/row-batch.ts'
import type { SeriesQuerier } from '../store/series-store.ts'
import type { StoredRows } from './journal-rows.ts'
import type { LiveQuery, SentRows } from './live-rows.ts'
import { mergedItems } from './merged-items.ts'
import { columnOf, itemTest, rowTexts } from './row-texts.ts'

/** The approximate number of rows of one event, which a web page can process quickly. */
const eventRows = 1000

/** A recipient of rows. */
export interface Reader {
  readonly question: LiveQuery
  /** See `projectionOf`. */
  readonly projection: string
  /** All rows before this position have been sent. */
  readonly position: number
}

/** A key that is equal for queries whose output of a row is the same. */
export function projectionOf({ plan: { selection }, itemTags }: LiveQuery): string {
  const { tags, fields, metrics, quality } = selection
  return JSON.stringify([
    quality?.words,
    [...tags, ...fields, ...metrics].map(({ name }) => name),
    metrics.length,
    itemTags !== null,
  ])
}

/** A row as JSON, and the position after it. */
interface Line {
  readonly text: string
  readonly position: number
}

export async function eventsFor(
  reader: Reader,
  { parts, wanted, position }: { parts: readonly StoredPart[]; wanted: readonly Wanted[]; position: number },
): Promise<readonly SentRows[]> {
  const lines: Line[] = []
  for (const [index, part] of parts.entries()) {
    for (const line of await part.lines(reader, wanted[index]!)) lines.push(line)
  }
  return eventsOf(lines, position)
}

/** Cuts only where the position changes, so rows of one replay are one event. The last event has the position after the part, equal for all readers. */
function eventsOf(lines: readonly Line[], throughPosition: number): readonly SentRows[] {
  const events: SentRows[] = []
  let first = 0
  for (let index = 0; index < lines.length; index++) {
    const { position } = lines[index]!
    const isLast = index === lines.length - 1
    if (!isLast && (index - first + 1 < eventRows || lines[index + 1]!.position === position)) continue
    const texts = lines.slice(first, index + 1).map(({ text }) => text)
    events.push({ items: `[${texts.join(',')}]`, position: isLast ? throughPosition : position })
    first = index + 1
  }
  return events
}

/** One output format: the rows requested in it, and their texts; null until they are formatted. */
interface Projection {
  readonly wanted: Set<number>
  texts: ReadonlyMap<number, string> | null
}

interface Wanted {
  readonly rows: readonly number[]
  readonly projection: Projection
}

interface StoredPartParts {
  readonly store: Pick<SeriesQuerier, 'run'>
  readonly signal: AbortSignal
}

/** Rows that were stored together, prepared for readers. */
export class StoredPart {
  readonly #stored: StoredRows
  readonly #parts: StoredPartParts
  readonly #byTag: RowsByTag
  readonly #projections = new Map<string, Projection>()

  constructor(stored: StoredRows, parts: StoredPartParts) {
    this.#stored = stored
    this.#parts = parts
    this.#byTag = new RowsByTag(stored)
  }

  /** Whether the entity has rows here from the reader's position on, selected by it or not. */
  isNew({ question, position }: Reader): boolean {
    const { batch, hidden } = this.#stored
    if (batch.entityId !== question.plan.selection.entityId) return false
    for (let row = batch.rows - 1; row >= 0 && this.#placeOf(row) >= position; row--) {
      if (!hidden.has(batch.positions[row]!)) return true
    }
    return false
  }

  /** Registers the rows for which `lines` will be called. */
  want({ question, projection: name, position }: Reader): Wanted {
    const rows = this.#rowsOf(question, position)
    const projection = this.#projections.get(name) ?? { wanted: new Set<number>(), texts: null }
    this.#projections.set(name, projection)
    for (const row of rows) projection.wanted.add(row)
    return { rows, projection }
  }

  async lines({ question }: Reader, { rows, projection }: Wanted): Promise<readonly Line[]> {
    if (rows.length === 0) return []
    projection.texts ??= await this.#texts(question, [...projection.wanted])
    const { texts } = projection
    return rows.flatMap((row) => {
      const text = texts.get(row)
      return text === undefined ? [] : [{ text, position: this.#placeOf(row) + 1 }]
    })
  }

  async #texts(question: LiveQuery, rows: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const { store, signal } = this.#parts
    if (question.itemTags !== null) return mergedItems(store, question, this.#stored, rows, signal)
    const { batch } = this.#stored
    const items = rows.filter(itemTest(batch, question.plan.selection))
    const texts = rowTexts(batch, items, outputFields(question.plan))
    return new Map(items.map((row, index) => [row, texts[index]!]))
  }

  #rowsOf({ plan: { selection } }: LiveQuery, from: number): readonly number[] {
    if (this.#stored.batch.entityId !== selection.entityId) return []
    const rows = this.#byTag.rowsOf(selection)
    return rows.length === 0 || this.#placeOf(rows[0]!) >= from
      ? rows
      : rows.filter((row) => this.#placeOf(row) >= from)
  }

  #placeOf(row: number): number {
    return this.#stored.replayPosition ?? this.#stored.batch.positions[row]!
  }
}

/** Finds the rows of a selection by their tags, so that a follower of one tag costs less than one of all tags. */
class RowsByTag {
  readonly #stored: StoredRows
  /** By name of the tag field: the rows of each value, ascending. */
  readonly #byTag = new Map<string, ReadonlyMap<string | null, readonly number[]>>()

  constructor(stored: StoredRows) {
    this.#stored = stored
  }

  /** Ascending. */
  rowsOf({ tags: [tag], ids, prefixes, sinceMs }: Selection): readonly number[] {
    const byTag = this.#rowsOfTag(tag)
    const found = ids === null ? [...byTag] : ids.map((id) => [id, byTag.get(id) ?? []] as const)
    const passes = (value: string | null): boolean =>
      prefixes === null || (value !== null && prefixes.some((prefix) => value.startsWith(prefix)))
    const lists = found.filter(([value, rows]) => rows.length > 0 && passes(value)).map(([, rows]) => rows)
    const rows = lists.length === 1 ? lists[0]! : lists.flat().sort((one, other) => one - other)
    if (sinceMs === null) return rows
    const times = timesOf(this.#stored.batch)
    return rows.filter((row) => times[row]! >= sinceMs)
  }

  #rowsOfTag(tag: EntityField): ReadonlyMap<string | null, readonly number[]> {
    const known = this.#byTag.get(tag.name)
    if (known !== undefined) return known
    const { batch, hidden } = this.#stored
    const column = columnOf(batch, tag)
    const byTag = new Map<string | null, number[]>()
    for (let row = 0; row < batch.rows; row++) {
      if (hidden.has(batch.positions[row]!)) continue
      const code = column?.type === 'string' ? column.codes[row]! : nullCode
      const value = column?.type === 'string' && code !== nullCode ? column.dictionary[code]! : null
      addTo(byTag, value, row)
    }
    this.#byTag.set(tag.name, byTag)
    return byTag
  }
}

// Random identifiers, filters and changes of metadata items, and a sorted array that computes the expected result of any list of them.
import fc from 'fast-check'
import { expect } from 'vitest'
import { compareCodePoints } from '../../src/lib/compare-code-points.ts'
import type { Field, FieldType } from '../../src/model/field.ts'

export type Identifier = string | bigint | number

/** The fields of every table: `id` identifies an item, and `n` is the number of the push that wrote it. */
export function itemFields(type: FieldType): readonly Field[] {
  return [
    { name: 'id', source: 'id', type, role: 'index' },
    { name: 'n', source: 'n', type: 'long', role: 'attribute' },
  ]
}

export interface NewItem<Id> {
  readonly id: Id
  readonly n: number
}

/** A metadata entity, empty at first, over any implementation. A change is visible after it resolves. */
export interface ItemTable<Id> {
  push(items: readonly NewItem<Id>[]): Promise<void>
  delete(id: Id): Promise<void>
  /** The body of a page. */
  list(query: string): Promise<string>
  /** The response body for the given identifiers. */
  find(itemsId: readonly string[]): Promise<string>
  count(): Promise<number>
}

/** An operator and its condition on the comparison of an identifier with the value. */
type Operator = readonly [name: string, holds: (order: number) => boolean]
const operators: readonly Operator[] = [
  ['[gt]', (order) => order > 0],
  ['[gte]', (order) => order >= 0],
  ['[lt]', (order) => order < 0],
  ['[lte]', (order) => order <= 0],
  ['', (order) => order === 0],
]

interface Filter<Id> {
  readonly query: string
  readonly holds: (id: Id) => boolean
}

/** Filters for a type: comparisons, and `be` in both forms. */
function filtersOf<Id>(ids: fc.Arbitrary<Id>, compare: (a: Id, b: Id) => number, spell: (id: Id) => string) {
  const one = fc.tuple(fc.constantFrom(...operators), ids).map(
    ([[name, holds], value]): Filter<Id> => ({
      query: `id${name}=${encodeURIComponent(spell(value))}`,
      holds: (id) => holds(compare(id, value)),
    }),
  )
  const between = fc.tuple(ids, ids, fc.boolean()).map(([a, b, twice]): Filter<Id> => {
    const [low, high] = compare(a, b) <= 0 ? [a, b] : [b, a]
    const [lowText, highText] = [low, high].map((end) => encodeURIComponent(spell(end)))
    const commas = `${spell(low)}${spell(high)}`.includes(',')
    const query = twice || commas ? `id[be]=${lowText}&id%5Bbe%5D=${highText}` : `id[be]=${lowText},${highText}`
    return { query, holds: (id) => compare(id, low) >= 0 && compare(id, high) <= 0 }
  })
  return { one, between }
}

/** Combines filters into one that requires all of them; `be` may appear once in a query. */
function combined<Id>(filters: fc.Arbitrary<Filter<Id>>, between: fc.Arbitrary<Filter<Id>>): fc.Arbitrary<Filter<Id>> {
  return fc.tuple(fc.array(filters, { maxLength: 2 }), fc.option(between)).map(([some, last]) => {
    const all = last === null ? some : [...some, last]
    return { query: all.map(({ query }) => query).join('&'), holds: (id) => all.every(({ holds }) => holds(id)) }
  })
}

/** Identifiers of one type. */
export interface ItemKind<Id extends Identifier> {
  readonly type: FieldType
  readonly ids: fc.Arbitrary<Id>
  readonly compare: (a: Id, b: Id) => number
  readonly spell: (id: Id) => string
  readonly filters: fc.Arbitrary<Filter<Id>>
}

const text = fc.string({
  unit: fc.constantFrom('a', 'b', ',', '+', ' ', '%', 'é', '～', '😀'),
  minLength: 1,
  maxLength: 3,
})

function stringKind(): ItemKind<string> {
  const spell = (id: string): string => id
  const { one, between } = filtersOf(text, compareCodePoints, spell)
  const beginning = text.map(
    (prefix): Filter<string> => ({
      query: `id[bw]=${encodeURIComponent(prefix).replaceAll('%20', '+')}`,
      holds: (id) => id.startsWith(prefix),
    }),
  )
  return {
    type: 'string',
    ids: text,
    compare: compareCodePoints,
    spell,
    filters: combined(fc.oneof(one, beginning), between),
  }
}

function numberKind<Id extends bigint | number>(
  type: FieldType,
  ids: fc.Arbitrary<Id>,
  spell: (id: Id) => string,
): ItemKind<Id> {
  const compare = (a: Id, b: Id): number => Number(a > b) - Number(a < b)
  const { one, between } = filtersOf(ids, compare, spell)
  return { type, ids, compare, spell, filters: combined(one, between) }
}

const long = fc.oneof(fc.bigInt({ min: -20n, max: 20n }), fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }))
const double = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map((n) => n / 2),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const ms = fc.integer({ min: -5, max: 5 }).map((n) => n * 1000)

export const itemKinds = {
  string: stringKind(),
  long: numberKind('long', long, String),
  double: numberKind('double', double, (id) => String(id === 0 ? 0 : id)),
  timestamp: numberKind('timestamp', ms, (id) => new Date(id).toISOString()),
} as const

/** The JSON of an item, both in a push and in a response. */
export function itemJson<Id extends Identifier>({ type, spell }: ItemKind<Id>, { id, n }: NewItem<Id>): string {
  const isText = type === 'string' || type === 'timestamp'
  return `{"id":${isText ? JSON.stringify(spell(id)) : spell(id)},"n":${n}}`
}

/** One step of changes to a table: identifiers are pushed, then some known ones are deleted, each chosen by a number. */
function changes<Id>(ids: fc.Arbitrary<Id>) {
  const change = fc.record({ pushed: fc.array(ids, { maxLength: 12 }), deleted: fc.array(fc.nat(), { maxLength: 2 }) })
  return fc.array(change, { minLength: 1, maxLength: 6 })
}

/** Compares lists of a new table with a sorted array: any filter, any page size, with pushes and deletions between two pages. */
export function listsAsAnArrayWould<Id extends Identifier>(
  kind: ItemKind<Id>,
  open: () => Promise<ItemTable<Id>>,
): fc.IAsyncProperty<unknown> {
  const limits = fc.integer({ min: 1, max: 7 })
  return fc.asyncProperty(changes(kind.ids), kind.filters, limits, async ([first, ...later], filter, limit) => {
    const table = await open()
    const known = new KnownItems(kind)
    const change = async ({ pushed, deleted }: { pushed: readonly Id[]; deleted: readonly number[] }) => {
      if (pushed.length > 0) await table.push(known.push(pushed))
      for (const choice of deleted) {
        const id = known.take(choice)
        if (id !== null) await table.delete(id)
      }
    }
    await change(first!)
    for (let [token, last]: [string | null, Id | null] = ['', null]; token !== null; ) {
      const query = [filter.query, `limit=${limit}`, token === '' ? '' : `NextToken=${token}`].join('&')
      const rest = known.items.filter(({ id }) => filter.holds(id) && (last === null || kind.compare(id, last) > 0))
      const expected = rest.slice(0, limit).map((item) => itemJson(kind, item))
      const [, items, next] = /^\{"Items":(.*),"NextToken":(null|"[^"]*")\}$/.exec(await table.list(query)) ?? []
      expect(items).toBe(`[${expected.join(',')}]`)
      token = JSON.parse(next!) as string | null
      expect(token !== null).toBe(rest.length > limit)
      last = rest[limit - 1]?.id ?? last
      await change(later.shift() ?? { pushed: [], deleted: [] })
    }
    expect(await table.count()).toBe(known.items.length)
    const asked = known.items.toReversed()
    const found = await table.find([...known.gone, ...asked.map(({ id }) => id)].map(kind.spell))
    expect(found).toBe(`[${asked.map((item) => itemJson(kind, item)).join(',')}]`)
  })
}

class KnownItems<Id extends Identifier> {
  readonly #kind: ItemKind<Id>
  readonly #items = new Map<string, NewItem<Id>>()
  readonly #gone = new Map<string, Id>()
  #pushes = 0

  constructor(kind: ItemKind<Id>) {
    this.#kind = kind
  }

  /** Sorted by identifier. */
  get items(): readonly NewItem<Id>[] {
    return [...this.#items.values()].sort((left, right) => this.#kind.compare(left.id, right.id))
  }

  /** Identifiers that were deleted and not pushed again. */
  get gone(): readonly Id[] {
    return [...this.#gone.values()]
  }

  push(ids: readonly Id[]): readonly NewItem<Id>[] {
    const items = ids.map((id) => ({ id, n: this.#pushes++ }))
    for (const item of items) {
      this.#items.set(this.#kind.spell(item.id), item)
      this.#gone.delete(this.#kind.spell(item.id))
    }
    return items
  }

  /** Deletes one of the items; returns null when there are none. */
  take(choice: number): Id | null {
    const all = this.items
    if (all.length === 0) return null
    const { id } = all[choice % all.length]!
    this.#items.delete(this.#kind.spell(id))
    this.#gone.set(this.#kind.spell(id), id)
    return id
  }
}

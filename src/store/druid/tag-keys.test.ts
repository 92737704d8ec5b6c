import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EntityField } from '../../model/entity.ts'
import type { Selection } from '../../model/plan.ts'
import type { NativeFilter } from './native-query.ts'
import { type TagKey, TagKeys } from './tag-keys.ts'

const field = (name: string): EntityField => ({ name, type: 'string', role: 'tag' })

function keysOf(names: readonly string[]): TagKeys {
  const [first, ...others] = names.map(field)
  return new TagKeys({ tags: [first!, ...others] } as unknown as Selection)
}

type Row = readonly (string | null)[]

/** The filter as Druid evaluates it: a comparison with null is unknown, and a list that includes null matches null. */
function passes(filter: NativeFilter, names: readonly string[], row: Row): boolean | null {
  const held = (name: unknown): string | null => row[names.indexOf(String(name))] ?? null
  const all = (): (boolean | null)[] => (filter['fields'] as NativeFilter[]).map((one) => passes(one, names, row))
  switch (filter['type']) {
    case 'false':
      return false
    case 'true':
      return true
    case 'in': {
      const values = filter['values'] as readonly (string | null)[]
      const value = held(filter['dimension'])
      return value === null && !values.includes(null) ? null : values.includes(value)
    }
    case 'null':
      return held(filter['column']) === null
    case 'not': {
      const passed = passes(filter['field'] as NativeFilter, names, row)
      return passed === null ? null : !passed
    }
    case 'and':
      return all().includes(false) ? false : all().includes(null) ? null : true
    case 'or':
      return all().includes(true) ? true : all().includes(null) ? null : false
    default:
      throw new Error(`what is a filter of type ${String(filter['type'])}?`)
  }
}

const value = fc.option(fc.constantFrom('', 'a', 'b', 'c', '\u{1f600}'))
const rowsOf = (tags: number) => fc.array(fc.array(value, { minLength: tags, maxLength: tags }), { maxLength: 12 })

test.each([1, 2, 3])(
  'filters of %i tags: among() passes only the keys; except() passes the rest, and possibly keys with a null',
  (count) => {
    const names = ['T', 'U', 'W'].slice(0, count)
    fc.assert(
      fc.property(rowsOf(count), rowsOf(count), (named, others) => {
        const keys = keysOf(names)
        const wanted = new Set<TagKey>(named.map((row) => keys.at(['time', ...row], 1)))
        const among = keys.among(wanted)
        const except = keys.except(wanted)
        for (const row of [...named, ...others]) {
          const isWanted = wanted.has(keys.at(row, 0))
          expect(among === null || passes(among, names, row) === true).toBe(isWanted)
          const isLeft = except === null || passes(except, names, row) === true
          if (!isWanted || !row.includes(null)) expect(isLeft).toBe(!isWanted)
        }
      }),
    )
  },
)

test('many combinations become few filters, grouped by the tag with the fewest values', () => {
  const keys = keysOf(['sensor', 'site'])
  const rows = Array.from({ length: 6000 }, (_, place) => [`sensor${place}`, `site${place % 3}`])
  const filter = keys.among(rows.map((row) => keys.at(row, 0)))
  expect(filter).toMatchObject({ type: 'or' })
  expect((filter!['fields'] as unknown[]).length).toBe(3)
})

test('combinations that need too many filters have no filter', () => {
  const keys = keysOf(['T', 'U', 'W'])
  const rows = Array.from({ length: 1001 }, (_, place) => [`${place}`, `${place}`, 'w'])
  const named = new Set(rows.map((row) => keys.at(row, 0)))
  expect([keys.among(named), keys.except(named)]).toEqual([null, null])
})

test('the key of one tag is its value', () => {
  const keys = keysOf(['T'])
  expect([keys.at([7, 'a'], 1), keys.at([7, null], 1), keys.at([7], 1)]).toEqual(['a', null, null])
  expect(keysOf(['T', 'U']).at([7, 'a', null, 3], 1)).toBe('["a",null]')
})

import { expect, test } from 'vitest'
import { nullCode } from '../../model/column.ts'
import { TextPool } from './text-pool.ts'

const dictionary = Array.from({ length: 20_000 }, (_, code) => `tåg ${code}`)

/** The texts of the codes as the pool writes them, without nulls. */
function written(pool: TextPool, codes: readonly number[]): string[] {
  const column = { type: 'string', codes: Int32Array.from(codes), dictionary } as const
  expect(pool.prepare(column, 0, codes.length)).toBe(codes.length)
  const out = Buffer.alloc(pool.bytesMax)
  return codes.flatMap((code) => {
    if (code === nullCode) return []
    const end = pool.write(out, 0, code)
    expect(end).toBe(pool.length(code))
    return [out.toString('utf8', 0, end)]
  })
}

test('a string is the same in a small answer and in a large one, whatever was written before', () => {
  const pool = new TextPool(Buffer.from('T='), (text) => text)
  const textsOf = (codes: readonly number[]): string[] => codes.map((code) => `T=${dictionary[code]}`)
  const few = [19_999, 3, 3, 0, ...Array.from({ length: 40 }, (_, index) => index * 400)]
  expect(written(pool, [nullCode, ...few])).toEqual(textsOf(few))
  expect(written(pool, few.toReversed())).toEqual(textsOf(few.toReversed()))
  const many = Array.from({ length: 5000 }, (_, index) => (index * 7919) % 20_000)
  expect(written(pool, many)).toEqual(textsOf(many))
  expect(written(pool, few)).toEqual(textsOf(few))
})

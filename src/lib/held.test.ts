import { expect, test } from 'vitest'
import { holdAll } from './held.ts'

function holds(...names: readonly string[]) {
  const held = new Set<string>()
  const hold = (name: string) => async () => {
    if (name === 'broken') throw new Error('cannot be held')
    held.add(name)
    return { release: () => void held.delete(name) }
  }
  return { held, all: names.map(hold) }
}

test('all are held, and let go once', async () => {
  const { held, all } = holds('first', 'second')
  const both = await holdAll(all)
  expect([...held]).toEqual(['first', 'second'])
  both.release()
  expect([...held]).toEqual([])
  held.add('first')
  both.release()
  expect([...held]).toEqual(['first'])
})

test('when one cannot be held, none is', async () => {
  const { held, all } = holds('first', 'second', 'broken', 'third')
  await expect(holdAll(all)).rejects.toThrow('cannot be held')
  expect([...held]).toEqual([])
})

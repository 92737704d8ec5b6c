import { expect, test } from 'vitest'
import { Holds, holdAll } from './held.ts'

function holds(...names: readonly string[]) {
  const held = new Set<string>()
  const hold = (name: string) => async () => {
    if (name === 'broken') throw new Error('cannot be held')
    held.add(name)
    return { release: () => void held.delete(name) }
  }
  return { held, all: names.map(hold) }
}

test('holdAll holds all, and releases them only once', async () => {
  const { held, all } = holds('first', 'second')
  const both = await holdAll(all)
  expect([...held]).toEqual(['first', 'second'])
  both.release()
  expect([...held]).toEqual([])
  held.add('first')
  both.release()
  expect([...held]).toEqual(['first'])
})

test('holdAll holds none if one of them fails', async () => {
  const { held, all } = holds('first', 'second', 'broken', 'third')
  await expect(holdAll(all)).rejects.toThrow('cannot be held')
  expect([...held]).toEqual([])
})

test('is held until its last holder releases it, even if the generation dies meanwhile', async () => {
  const reported: string[] = []
  let isAlive = true
  const holds = new Holds({
    hold: async () => {
      if (!isAlive) throw new Error('it died')
      reported.push('hold')
    },
    release: () => reported.push('release'),
  })
  const first = await holds.take()
  const second = await holds.take()
  first.release()
  isAlive = false
  await expect(holds.take()).rejects.toThrow('it died')
  // The next generation starts in the held state.
  expect([holds.isHeld, reported]).toEqual([true, ['hold', 'hold']])
  second.release()
  expect([holds.isHeld, reported]).toEqual([false, ['hold', 'hold', 'release']])
})

test('a hold that failed because the generation died is released', async () => {
  let released = 0
  const holds = new Holds({ hold: () => Promise.reject(new Error('it died')), release: () => released++ })
  await expect(holds.take()).rejects.toThrow('it died')
  expect([holds.isHeld, released]).toEqual([false, 1])
})

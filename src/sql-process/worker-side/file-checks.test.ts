import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { FileChecks } from './file-checks.ts'

const never = new AbortController().signal
const files = (...paths: string[]) => paths.map((path) => ({ path, checkedBy: `${path}.index` }))

/** Checks that end when the test ends them, by path. */
function held() {
  const begun: string[] = []
  const reported: string[] = []
  const ends = new Map<string, { readonly well: () => void; readonly badly: () => void }>()
  const checks = new FileChecks(
    (path) => {
      begun.push(path)
      return new Promise((resolve, reject) => {
        ends.set(path, { well: resolve, badly: () => reject(new Error(`${path} is damaged`)) })
      })
    },
    (path) => reported.push(path),
  )
  return {
    checks,
    begun,
    reported,
    end: (path: string) => ends.get(path)!.well(),
    fail: (path: string) => ends.get(path)!.badly(),
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('two at a time, those that need it', async () => {
  const { checks, begun, reported, end } = held()
  const all = checks.all([...files('a', 'b', 'c'), { path: 'known', checkedBy: null }], never)
  expect(begun).toEqual(['a', 'b'])
  end('b')
  await settled()
  expect([begun, reported]).toEqual([['a', 'b', 'c'], ['b']])
  end('a')
  end('c')
  await all
  expect(reported).toEqual(['b', 'a', 'c'])
})

test('a file that two wait for is checked once; one that nobody waits for any more is checked to its end, and no other is begun', async () => {
  const { checks, begun, reported, end } = held()
  const controller = new AbortController()
  const first = checks.all(files('a', 'b', 'c'), controller.signal)
  const second = checks.all(files('a'), never)
  controller.abort(new Error('no time'))
  await expect(first).rejects.toThrow('no time')
  end('a')
  end('b')
  await second
  await settled()
  expect([begun, reported]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
})

test('a damaged file is told to all who wait for it, and checked again for the next', async () => {
  const { checks, begun, reported, fail } = held()
  const all = [checks.all(files('a', 'b', 'c'), never), checks.all(files('a'), never)]
  fail('a')
  for (const one of all) await expect(one).rejects.toThrow('a is damaged')
  await settled()
  expect([begun, reported]).toEqual([['a', 'b'], []])
  const again = checks.all(files('a'), never)
  fail('a')
  await expect(again).rejects.toThrow('a is damaged')
})

test('a signal of many checks keeps no listener of those that are over', async () => {
  const { checks, end, fail } = held()
  const { signal } = new AbortController()
  const listeners = (): number => getEventListeners(signal, 'abort').length
  await checks.all([{ path: 'known', checkedBy: null }], signal)
  expect(listeners()).toBe(0)
  const all = [checks.all(files('a'), signal), checks.all(files('b'), signal)]
  expect(listeners()).toBe(2)
  end('a')
  fail('b')
  await Promise.allSettled(all)
  expect(listeners()).toBe(0)
})

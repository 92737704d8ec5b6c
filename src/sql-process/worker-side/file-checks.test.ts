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

test('checks two files at a time, and only unchecked ones', async () => {
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

test('checks a shared file once; after an abort, running checks finish and no other check starts', async () => {
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

test('reports a damaged file to all waiting callers, and checks it again for the next one', async () => {
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

test('removes the listeners of a shared signal when its checks are over', async () => {
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

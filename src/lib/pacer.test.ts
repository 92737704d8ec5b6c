import { expect, test } from 'vitest'
import { Pacer } from './pacer.ts'

test('a little work never needs a rest', () => {
  const pacer = new Pacer({ sliceMs: 0, signal: new AbortController().signal })
  expect(pacer.spend(1000)).toBe(false)
})

test('much work needs a rest after the slice is over', () => {
  const pacer = new Pacer({ sliceMs: 0, signal: new AbortController().signal })
  expect(pacer.spend(1_000_000)).toBe(true)
})

test('a rest lets other work run, and throws the reason of an abort', async () => {
  const controller = new AbortController()
  const pacer = new Pacer({ sliceMs: 0, signal: controller.signal })
  let ran = false
  setImmediate(() => {
    ran = true
  })
  await pacer.rest()
  expect(ran).toBe(true)
  controller.abort(new Error('gone'))
  await expect(pacer.rest()).rejects.toThrow('gone')
  expect(() => new Pacer({ sliceMs: 0, signal: controller.signal })).toThrow('gone')
})

test('pressing work gets every second slice, however much other work rests', async () => {
  const signal = new AbortController().signal
  let met = ''
  const run = async (name: string, presses: boolean): Promise<void> => {
    const pacer = new Pacer({ sliceMs: 0, signal, isPressing: () => presses })
    for (let slice = 0; slice < 3; slice++) {
      await pacer.rest()
      met += name
    }
  }
  await Promise.all([run('a', false), run('b', false), run('c', false), run('X', true), run('Y', true)])
  expect(met.replace(/^[abc]/, '')).toMatch(/^X[abc]Y[abc]X[abc]Y[abc]X[abc]Y[abc]+$/)
})

test('resting work continues one per turn of the event loop, in order', async () => {
  const signal = new AbortController().signal
  const met: string[] = []
  const run = async (name: string): Promise<void> => {
    const pacer = new Pacer({ sliceMs: 0, signal })
    for (let slice = 0; slice < 2; slice++) {
      await pacer.rest()
      met.push(name)
      setImmediate(() => met.push('other'))
    }
  }
  await Promise.all([run('a'), run('b')])
  await new Promise((resolve) => setImmediate(resolve))
  expect(met.join(' ')).toBe('a b other a other b other other')
})

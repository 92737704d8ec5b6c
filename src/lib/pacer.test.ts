import { expect, test } from 'vitest'
import { Pacer } from './pacer.ts'

test('a little work never asks for a rest', () => {
  const pacer = new Pacer({ sliceMs: 0, signal: new AbortController().signal })
  expect(pacer.spend(1000)).toBe(false)
})

test('much work asks for a rest once the slice is over', () => {
  const pacer = new Pacer({ sliceMs: 0, signal: new AbortController().signal })
  expect(pacer.spend(1_000_000)).toBe(true)
})

test('a rest lets others run, and throws the reason of an abort', async () => {
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

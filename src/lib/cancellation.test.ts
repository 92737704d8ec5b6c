import { expect, test } from 'vitest'
import { Cancellation, nativeSignal } from './cancellation.ts'

test('tells who listens, once, with the reason that came first', () => {
  const cancellation = new Cancellation()
  const heard: string[] = []
  const leaving = (): void => void heard.push('leaving')
  cancellation.addEventListener('abort', () => heard.push(String(cancellation.reason)))
  cancellation.addEventListener('abort', leaving)
  cancellation.removeEventListener('abort', leaving)
  cancellation.throwIfAborted()
  cancellation.cancel('gone')
  cancellation.cancel('late')
  expect([heard, cancellation.aborted, cancellation.reason]).toEqual([['gone'], true, 'gone'])
  expect(() => cancellation.throwIfAborted()).toThrow('gone')
})

test('a listener that leaves while others are told does not keep them from hearing of it', () => {
  const cancellation = new Cancellation()
  const heard: number[] = []
  const first = (): void => {
    heard.push(1)
    cancellation.removeEventListener('abort', first)
  }
  cancellation.addEventListener('abort', first)
  cancellation.addEventListener('abort', () => heard.push(2))
  cancellation.cancel()
  expect(heard).toEqual([1, 2])
  expect(cancellation.reason).toHaveProperty('name', 'AbortError')
})

test('an AbortSignal is made of it when one is needed, before or after', () => {
  const [before, after] = [new Cancellation(), new Cancellation()]
  const signal = nativeSignal(before)
  expect(signal.aborted).toBe(false)
  before.cancel('gone')
  after.cancel('gone')
  expect([signal.reason, nativeSignal(after).reason, nativeSignal(before)]).toEqual(['gone', 'gone', signal])
  expect(nativeSignal(signal)).toBe(signal)
})

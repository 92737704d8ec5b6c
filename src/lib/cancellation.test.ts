import { expect, test } from 'vitest'
import { Cancellation, nativeSignal } from './cancellation.ts'

test('notifies its listeners once, with the first reason', () => {
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

test('a listener that removes itself during the notification does not stop the others', () => {
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

test('converts to one AbortSignal, before or after it is cancelled', () => {
  const [before, after] = [new Cancellation(), new Cancellation()]
  const signal = nativeSignal(before)
  expect(signal.aborted).toBe(false)
  before.cancel('gone')
  after.cancel('gone')
  expect([signal.reason, nativeSignal(after).reason, nativeSignal(before)]).toEqual(['gone', 'gone', signal])
  expect(nativeSignal(signal)).toBe(signal)
})

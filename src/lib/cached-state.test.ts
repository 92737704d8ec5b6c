import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CachedState } from './cached-state.ts'

const retryMs = 1000
let kept: number
/** The number of upcoming reads that fail. */
let failing: number
let reads: number
let held: number[]
let copy: CachedState<number>

beforeEach(() => {
  vi.useFakeTimers()
  kept = 1
  failing = 0
  reads = 0
  held = []
  copy = new CachedState({ read, hold: (state) => held.push(state), retryMs })
})
afterEach(() => {
  copy.close()
  vi.useRealTimers()
})

async function read(): Promise<number> {
  reads += 1
  if (failing === 0) return kept
  failing -= 1
  throw new Error('away')
}

test.each([1, 2, 7])(
  'a read that failed %i times is retried automatically until it succeeds, and no longer',
  async (times) => {
    failing = times
    await expect(copy.refresh()).rejects.toThrow('away')
    expect(held).toEqual([])
    await vi.advanceTimersByTimeAsync(times * retryMs)
    expect(held).toEqual([1])
    await vi.advanceTimersByTimeAsync(10 * retryMs)
    expect(reads).toBe(times + 1)
  },
)

test('a successful read after a failure ends the retries', async () => {
  failing = 1
  await expect(copy.refresh()).rejects.toThrow('away')
  await copy.refresh()
  await vi.advanceTimersByTimeAsync(10 * retryMs)
  expect(reads).toBe(2)
})

test('several reads that fail at once are retried together', async () => {
  failing = 3
  await Promise.allSettled([copy.refresh(), copy.refresh(), copy.refresh()])
  await vi.advanceTimersByTimeAsync(10 * retryMs)
  expect([reads, held]).toEqual([4, [1]])
})

test('a read that completes late does not replace a newer state', async () => {
  let release = (_: number): void => {}
  const late = new CachedState({
    read: () => (reads++ === 0 ? new Promise<number>((resolve) => (release = resolve)) : read()),
    hold: (state: number) => held.push(state),
    retryMs,
  })
  const first = late.refresh()
  kept = 2
  await late.refresh()
  release(1)
  await first
  expect(held).toEqual([2])
})

test('a read that fails after a newer one succeeded is not retried', async () => {
  let fail = (_: Error): void => {}
  const late = new CachedState({
    read: () => (reads++ === 0 ? new Promise<number>((_, reject) => (fail = reject)) : read()),
    hold: (state: number) => held.push(state),
    retryMs,
  })
  const first = late.refresh()
  await late.refresh()
  fail(new Error('away'))
  await expect(first).rejects.toThrow('away')
  const before = reads
  await vi.advanceTimersByTimeAsync(10 * retryMs)
  expect([reads, held]).toEqual([before, [1]])
})

test('stops retrying after close', async () => {
  failing = 1
  await expect(copy.refresh()).rejects.toThrow('away')
  copy.close()
  await vi.advanceTimersByTimeAsync(10 * retryMs)
  expect(reads).toBe(1)
})

test('a state that cannot be applied is read again', async () => {
  let isBroken = true
  const hold = (state: number): void => {
    if (isBroken) throw new Error('broken')
    held.push(state)
  }
  const broken = new CachedState({ read, hold, retryMs })
  await expect(broken.refresh()).rejects.toThrow('broken')
  isBroken = false
  await vi.advanceTimersByTimeAsync(retryMs)
  expect(held).toEqual([1])
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

const never = new AbortController().signal

test('runs one at a time, in order of arrival', async () => {
  const turns = new Turns()
  const seen: string[] = []
  const work = (name: string) => async (): Promise<void> => {
    seen.push(`${name} begins`)
    await sleep(1)
    seen.push(`${name} ends`)
  }
  await Promise.all(['a', 'b', 'c'].map((name) => turns.run({ signal: never, hadMs: 0, turnMs: 1000 }, work(name))))
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('runs the one with the least time so far first', async () => {
  const turns = new Turns()
  const seen: number[] = []
  const run = (hadMs: number) => turns.run({ signal: never, hadMs, turnMs: 1000 }, async () => void seen.push(hadMs))
  await Promise.all([9, 5, 7, 2, 7].map(run))
  expect(seen).toEqual([9, 2, 5, 7, 7])
})

test('a long run is asked to yield when another waits, before or after the end of its turn', async () => {
  const turns = new Turns()
  const untilTold = (turn: AbortSignal): Promise<string> =>
    new Promise((resolve) => turn.addEventListener('abort', () => resolve('told')))
  const long = turns.run({ signal: never, hadMs: 0, turnMs: 1 }, untilTold)
  await sleep(20)
  expect(await Promise.race([long, sleep(1, 'not told')])).toBe('not told')
  const short = turns.run({ signal: never, hadMs: 0, turnMs: 1000 }, async () => 'short')
  expect(await Promise.all([long, short])).toEqual(['told', 'short'])
  const again = turns.run({ signal: never, hadMs: 0, turnMs: 20 }, untilTold)
  expect(await Promise.all([again, turns.run({ signal: never, hadMs: 0, turnMs: 1000 }, async () => 'short')])).toEqual(
    ['told', 'short'],
  )
})

test('a run that is aborted while queued, or fails, does not block the others', async () => {
  const turns = new Turns()
  const first = turns.run({ signal: never, hadMs: 0, turnMs: 1000 }, () =>
    sleep(10).then(() => Promise.reject(new Error('failed'))),
  )
  const controller = new AbortController()
  const given = turns.run({ signal: controller.signal, hadMs: 0, turnMs: 1000 }, async () => 'never')
  const last = turns.run({ signal: never, hadMs: 0, turnMs: 1000 }, async () => 'last')
  controller.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
  await expect(first).rejects.toThrow('failed')
  expect(await last).toBe('last')
})

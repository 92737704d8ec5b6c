import { expect, test } from 'vitest'
import { PendingAsks } from './pending-asks.ts'

function asksOf() {
  const asks = new PendingAsks<string>()
  const sent: number[] = []
  const cancelled: number[] = []
  const settled: number[] = []
  const ask = (signal: AbortSignal | null = null): Promise<string> =>
    asks.add({
      signal,
      send: (id) => sent.push(id),
      cancel: (id) => {
        cancelled.push(id)
        return () => settled.push(id)
      },
    })
  return { asks, ask, sent, cancelled, settled }
}

test('each question has a number, and its own answer', async () => {
  const { asks, ask, sent } = asksOf()
  const answers = [ask(), ask(), ask()]
  expect([sent, [...asks.ids]]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ])
  asks.resolve(2, 'second')
  asks.resolve(1, 'first')
  asks.reject(3, new Error('third'))
  asks.resolve(1, 'once more')
  asks.reject(9, new Error('nobody asked'))
  expect(await Promise.all(answers.slice(0, 2))).toEqual(['first', 'second'])
  await expect(answers[2]).rejects.toThrow('third')
  expect(asks.size).toBe(0)
})

test('a question that is cancelled is settled by what is said of it, with the reason', async () => {
  const { asks, ask, cancelled, settled } = asksOf()
  const leaving = new AbortController()
  const [failing, answered] = [ask(leaving.signal), ask(leaving.signal)]
  leaving.abort(new Error('gone'))
  expect([cancelled, settled, asks.size]).toEqual([[1, 2], [], 2])
  asks.reject(1, new Error('cancelled'))
  asks.resolve(2, 'done before')
  await expect(failing).rejects.toThrow('gone')
  expect([await answered, settled]).toEqual(['done before', [1, 2]])
})

test('a question that is settled is not cancelled', async () => {
  const { asks, ask, cancelled } = asksOf()
  const leaving = new AbortController()
  const answer = ask(leaving.signal)
  asks.resolve(1, 'done')
  leaving.abort()
  expect([await answer, cancelled]).toEqual(['done', []])
})

test('of a life that has ended all questions fail', async () => {
  const { asks, ask } = asksOf()
  const answers = [ask(), ask()]
  asks.rejectAll(new Error('it died'))
  for (const answer of answers) await expect(answer).rejects.toThrow('it died')
  expect(asks.size).toBe(0)
})

import { expect, test } from 'vitest'
import { PendingRequests } from './pending-requests.ts'

function asksOf() {
  const asks = new PendingRequests<string>()
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

test('each request has its own id and its own response', async () => {
  const { asks, ask, sent } = asksOf()
  const answers = [ask(), ask(), ask()]
  const [first, second, third] = sent as [number, number, number]
  expect([new Set(sent).size, [...asks.ids]]).toEqual([3, sent])
  asks.resolve(second, 'second')
  asks.resolve(first, 'first')
  asks.reject(third, new Error('third'))
  asks.resolve(first, 'once more')
  asks.reject(9, new Error('nobody asked'))
  expect(await Promise.all(answers.slice(0, 2))).toEqual(['first', 'second'])
  await expect(answers[2]).rejects.toThrow('third')
  expect(asks.size).toBe(0)
})

test('a cancelled request is settled by its response, or fails with the reason of the cancellation', async () => {
  const { asks, ask, sent, cancelled, settled } = asksOf()
  const leaving = new AbortController()
  const [failing, answered] = [ask(leaving.signal), ask(leaving.signal)]
  leaving.abort(new Error('gone'))
  expect([cancelled, settled, asks.size]).toEqual([sent, [], 2])
  asks.reject(sent[0]!, new Error('cancelled'))
  asks.resolve(sent[1]!, 'done before')
  await expect(failing).rejects.toThrow('gone')
  expect([await answered, settled]).toEqual(['done before', sent])
})

test('a request that cannot be sent is not pending', async () => {
  const { asks, cancelled } = asksOf()
  const leaving = new AbortController()
  const send = (): void => {
    throw new Error('it cannot be sent')
  }
  const cancel = (id: number): undefined => {
    cancelled.push(id)
  }
  await expect(asks.add({ signal: leaving.signal, send, cancel })).rejects.toThrow('it cannot be sent')
  leaving.abort()
  expect([asks.size, cancelled]).toEqual([0, []])
})

test('an id is not reused after its request is settled', async () => {
  const { asks, ask, sent } = asksOf()
  const earlier = ask()
  asks.resolve(sent[0]!, 'earlier')
  const later = ask()
  asks.resolve(sent[0]!, 'earlier once more')
  asks.resolve(sent[1]!, 'later')
  expect(await Promise.all([earlier, later])).toEqual(['earlier', 'later'])
})

test('a settled request is not cancelled', async () => {
  const { asks, ask, sent, cancelled } = asksOf()
  const leaving = new AbortController()
  const answer = ask(leaving.signal)
  asks.resolve(sent[0]!, 'done')
  leaving.abort()
  expect([await answer, cancelled]).toEqual(['done', []])
})

test('rejectAll rejects all pending requests', async () => {
  const { asks, ask } = asksOf()
  const answers = [ask(), ask()]
  asks.rejectAll(new Error('it died'))
  for (const answer of answers) await expect(answer).rejects.toThrow('it died')
  expect(asks.size).toBe(0)
})

test('rejectAll settles each request once, even if one that fails settles another', async () => {
  const asks = new PendingRequests<string>()
  const sent: number[] = []
  const leaving = new AbortController()
  const send = (id: number): void => void sent.push(id)
  const first = asks.add({ signal: leaving.signal, send, cancel: () => () => asks.resolve(sent[1]!, 'in time') })
  const second = asks.add({ signal: null, send, cancel: () => undefined })
  leaving.abort(new Error('gone'))
  asks.rejectAll(new Error('it died'))
  await expect(first).rejects.toThrow('gone')
  expect([await second, asks.size]).toEqual(['in time', 0])
  const later = [0, 1, 2].map(() => asks.add({ signal: null, send, cancel: () => undefined }))
  for (const [index, id] of sent.slice(2).entries()) asks.resolve(id, String(index))
  expect(await Promise.all(later)).toEqual(['0', '1', '2'])
})

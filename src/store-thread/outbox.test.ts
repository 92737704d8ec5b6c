import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Outbox } from './outbox.ts'

function open() {
  const sent: { readonly messages: unknown; readonly transferred: number }[] = []
  const sender = {
    postMessage: (messages: unknown, transfer: ArrayBuffer[]) => {
      sent.push({ messages, transferred: transfer.length })
    },
  }
  return { outbox: new Outbox<string>(sender), sent }
}

describe('an outbox', () => {
  test('sends the messages of one turn together, in their order', async () => {
    const { outbox, sent } = open()
    outbox.push('a', [new ArrayBuffer(1)])
    await Promise.resolve()
    outbox.push('b', [new ArrayBuffer(2), new ArrayBuffer(3)])
    expect(sent).toEqual([])
    await nextTurn()
    outbox.push('c')
    await nextTurn()
    expect(sent).toEqual([
      { messages: ['a', 'b'], transferred: 3 },
      { messages: ['c'], transferred: 0 },
    ])
  })

  test('sends a few at a time', async () => {
    const { outbox, sent } = open()
    for (const message of ['a', 'b', 'c', 'd', 'e', 'f']) outbox.push(message)
    expect(sent).toEqual([{ messages: ['a', 'b', 'c', 'd'], transferred: 0 }])
    await nextTurn()
    expect(sent.slice(1)).toEqual([{ messages: ['e', 'f'], transferred: 0 }])
  })

  test('sends what waits at once when it is asked to, and nothing afterwards', async () => {
    const { outbox, sent } = open()
    outbox.flush()
    outbox.push('a')
    outbox.flush()
    expect(sent).toEqual([{ messages: ['a'], transferred: 0 }])
    outbox.push('b')
    await nextTurn()
    await nextTurn()
    expect(sent.slice(1)).toEqual([{ messages: ['b'], transferred: 0 }])
  })
})

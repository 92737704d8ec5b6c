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
  test('sends the messages of one turn in order, up to four at a time', async () => {
    const { outbox, sent } = open()
    outbox.push('a', [new ArrayBuffer(1)])
    await Promise.resolve()
    outbox.push('b')
    outbox.push('c')
    expect(sent).toEqual([])
    outbox.push('d', [new ArrayBuffer(2), new ArrayBuffer(3)])
    outbox.push('e')
    expect(sent).toEqual([{ messages: ['a', 'b', 'c', 'd'], transferred: 3 }])
    await nextTurn()
    outbox.push('f')
    await nextTurn()
    expect(sent.slice(1)).toEqual([
      { messages: ['e'], transferred: 0 },
      { messages: ['f'], transferred: 0 },
    ])
  })

  test('sends urgent messages immediately, in one list after the queued ones', async () => {
    const { outbox, sent } = open()
    outbox.push('a', [new ArrayBuffer(1)])
    outbox.send(['b', 'c', 'd'])
    expect(sent).toEqual([{ messages: ['a', 'b', 'c', 'd'], transferred: 1 }])
    await nextTurn()
    outbox.send(['e'])
    await nextTurn()
    expect(sent.slice(1)).toEqual([{ messages: ['e'], transferred: 0 }])
  })

  test('sends queued messages immediately on flush, and only once', async () => {
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

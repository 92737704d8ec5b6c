import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { FromStore } from '../protocol.ts'
import { openChannel } from './channel.ts'

test('validation events are sent in order with the next message, and cause no message of their own', async () => {
  const { port1, port2 } = new MessageChannel()
  const received: (readonly FromStore[])[] = []
  port2.on('message', (messages: readonly FromStore[]) => received.push(messages))
  const { observe, send } = openChannel(port1, () => 'disk')
  const validated = { kind: 'rowsValidated', rows: 1, rejected: 0, again: 0, ingests: [], ms: 1 } as const
  observe(validated)
  observe({ ...validated, rows: 2 })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(received).toEqual([])
  send({ kind: 'progress', position: 3, tallies: [], entityIds: [] })
  observe({ kind: 'validationFailed', message: 'no room', retryInMs: 1 })
  await expect
    .poll(() => received)
    .toEqual([
      [
        { kind: 'event', event: validated },
        { kind: 'event', event: { ...validated, rows: 2 } },
        { kind: 'progress', position: 3, tallies: [], entityIds: [] },
      ],
      [{ kind: 'event', event: { kind: 'validationFailed', message: 'no room', retryInMs: 1 } }],
    ])
  port1.close()
})

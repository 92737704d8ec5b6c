import type { MessagePort } from 'node:worker_threads'
import type { Observe } from '../../observe/event.ts'
import { Outbox } from '../outbox.ts'
import type { Awaited, FromStore } from '../protocol.ts'

/** What the thread says to the main thread. */
export interface Channel {
  readonly outbox: Outbox<FromStore>
  readonly send: (message: FromStore) => void
  readonly observe: Observe
  /** After a step that failed: what has to come before it can succeed. */
  readonly stuck: (error: unknown) => void
}

/** `awaitedAfter` says what has to come after an error. */
export function openChannel(port: MessagePort, awaitedAfter: (error: unknown) => Awaited): Channel {
  const outbox = new Outbox<FromStore>(port)
  const send = (message: FromStore): void => {
    outbox.push(message)
    outbox.flush()
  }
  return {
    outbox,
    send,
    observe: (event) => send({ kind: 'event', event }),
    stuck: (error) => send({ kind: 'waits', awaited: awaitedAfter(error) }),
  }
}

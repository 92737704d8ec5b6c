import type { MessagePort } from 'node:worker_threads'
import type { Observe } from '../../observe/event.ts'
import { Outbox } from '../outbox.ts'
import type { Awaited, FromStore } from '../protocol.ts'

/** The thread's messages to the main thread. */
export interface Channel {
  readonly outbox: Outbox<FromStore>
  readonly send: (message: FromStore) => void
  readonly observe: Observe
  /** Called after a failed step: reports the condition that must be met before it can succeed. */
  readonly stuck: (error: unknown) => void
}

/** `awaitedAfter` returns the condition that must be met after an error. */
export function openChannel(port: MessagePort, awaitedAfter: (error: unknown) => Awaited): Channel {
  const outbox = new Outbox<FromStore>(port)
  let validated: FromStore[] = []
  const send = (message: FromStore): void => {
    outbox.send([...validated, message])
    validated = []
  }
  return {
    outbox,
    send,
    observe: (event) => {
      const message = { kind: 'event', event } as const
      // Each step ends with a progress message. The event is sent with it, so that the main thread is woken once.
      if (event.kind === 'rowsValidated') validated.push(message)
      else send(message)
    },
    stuck: (error) => send({ kind: 'waits', awaited: awaitedAfter(error) }),
  }
}

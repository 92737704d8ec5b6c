import { describe, expect, test } from 'vitest'
import { ConnectionError, ServiceError } from '../client/service-error.ts'
import { OptionError, type PushMessagesOptions, pushMessages } from './push-messages.ts'

/** A service that responds with `ownIngest` to a request for the ingest. */
function given(ownIngest: () => Promise<never>, changes: Partial<PushMessagesOptions> = {}) {
  const notes: string[] = []
  const stop = new AbortController()
  const client = { ownIngest, push: () => Promise.reject(new Error('nothing is pushed')) }
  const options = { client, broker: 'mqtt://localhost', subscribe: ['plant/#'], ingest: 'plant', ...changes }
  return { notes, stop, options: { ...options, signal: stop.signal, onNote: (text: string) => void notes.push(text) } }
}

const never = (): Promise<never> => Promise.reject(new Error('the service is asked'))

describe('invalid options are refused before anything begins', () => {
  test.each<[Partial<PushMessagesOptions>, string]>([
    [
      { broker: 'localhost' },
      'broker: "localhost" is not the address of a broker. Give one such as mqtt://localhost:1883',
    ],
    [{ broker: 'http://localhost' }, 'broker: "http://localhost" is not the address'],
    [{ broker: 'mqtt://u:p%zz@localhost' }, 'broker: the user or the password has a % that does not begin a code'],
    [{ subscribe: [] }, 'subscribe: give at least one topic filter'],
    [{ subscribe: ['a/#', '#/a'] }, 'subscribe: "#/a" is not a topic filter'],
    [{ topic: '{a}/{T' }, 'topic: '],
  ])('%j', async (changes, part) => {
    const failing = pushMessages(given(never, changes).options)
    await expect(failing).rejects.toThrow(OptionError)
    await expect(failing).rejects.toThrow(part)
  })
})

test('waits for an unavailable service until the signal aborts', async () => {
  const { notes, stop, options } = given(() =>
    Promise.reject(new ConnectionError('Nobody answers.', { sent: false, cause: null })),
  )
  const ended = pushMessages(options)
  await expect.poll(() => notes).toEqual(['Nobody answers. Trying again in 5 s.'])
  stop.abort()
  expect(await ended).toEqual({ messages: 0, rows: 0, again: 0 })
})

test('does not wait for a service that refuses', async () => {
  const refused = new ServiceError({
    ...{ status: 403, code: 'forbidden', detail: 'The key may not push to "plant".' },
    ...{ errors: [], retryable: false, retryAfterS: null },
  })
  await expect(pushMessages(given(() => Promise.reject(refused)).options)).rejects.toBe(refused)
})

import { expect, test } from 'vitest'
import { PartsHealth } from './parts-health.ts'

const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })

test.each<[Error | string, string]>([
  [new Error('Druid is away'), 'Druid is away'],
  [
    new Error('Druid is away', { cause: new Error('self-signed certificate') }),
    'Druid is away (self-signed certificate)',
  ],
  [new Error('Druid is away', { cause: refused }), 'Druid is away (ECONNREFUSED)'],
  [new Error('it is away: no route', { cause: new Error('no route') }), 'it is away: no route'],
  ['gone', 'gone'],
])('an unavailable part is reported with its cause: %s', async (failure, expected) => {
  const reported: (string | null)[] = []
  const probes = { kafka: async () => undefined, druid: () => Promise.reject(failure), postgres: async () => undefined }
  let changed = (): void => undefined
  const once = new Promise<void>((resolve) => {
    changed = resolve
  })
  const health = new PartsHealth({
    probes,
    waiting: () => ({ waiting: [], waiting_entities: 0 }),
    everyMs: 60_000,
    changed: (part, message) => {
      reported.push(`${part}: ${message}`)
      changed()
    },
  })
  await once
  await health.close()
  expect(reported).toEqual([`druid: ${expected}`])
})

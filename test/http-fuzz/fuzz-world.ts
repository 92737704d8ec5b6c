// The data that fuzzed requests work on: ingests of each kind and state, and a key of every kind. They may remove all of it, so it is recreated regularly.
import { call } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { adminKey } from '../support/server-process.ts'
import type { RequestSource } from './random-requests.ts'

/** On a cluster each entity takes a Druid task. */
const otherNames = onCluster ? [] : ['spare', 'x'.repeat(128)]

const names = {
  ingests: ['plant', 'plant', 'plant', 'blocked', 'meters', 'numbers', 'ghost', ...otherNames],
  entities: ['plant', 'plant', 'plant', 'plant', 'nothing', ...otherNames],
  tables: ['meters', 'meters', 'numbers', 'numbers', 'plant', 'nothing'],
  subscribers: ['pusher', 'other', 'nobody'],
  ids: ['a', 'b', 'c.d', '', '1', '-5', '1e3', '2026-01-01T00:00:00Z', '\u{1f600}'],
}

const seriesFields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'L', type: 'long', role: 'metric' },
  { name: 'F', type: 'string', role: 'dimension' },
]
const ingests = [
  { alias: 'plant', kind: 'series', fields: seriesFields },
  { alias: 'blocked', kind: 'metadata', fields: [field('id', 'string', 'index')] },
  { alias: 'meters', kind: 'metadata', fields: [field('id', 'string', 'index'), field('n', 'long', 'attribute')] },
  { alias: 'numbers', kind: 'metadata', fields: [field('id', 'long', 'index'), field('j', 'json', 'attribute')] },
]

function field(name: string, type: string, role: string): object {
  return { name, type, role }
}

/** Creates the data and returns the source of requests for its current state. */
export async function makeWorld(url: string, endpoints: RequestSource['endpoints']): Promise<RequestSource> {
  const admin = (method: string, path: string, body?: unknown) =>
    call<{ key: string; id: string }>(url, method, path, { key: adminKey, body })
  for (const ingest of ingests) await admin('POST', '/admin/ingests', ingest)
  for (const { alias } of ingests) {
    await admin('PATCH', `/admin/ingests/${alias}`, { state: alias === 'blocked' ? 'blocked' : 'active' })
  }
  const keyOf = async (name: string, subscriptions: readonly object[], rights: readonly string[], expires?: string) => {
    await admin('POST', '/admin/subscribers', { name })
    await admin('PUT', `/admin/subscribers/${name}/subscriptions`, subscriptions)
    const { body } = await admin('POST', `/admin/subscribers/${name}/keys`, {
      rights,
      ...(expires === undefined ? {} : { expires }),
    })
    return body
  }
  const all = [{ ingest: '*', entity: '*' }]
  const soon = new Date(Date.now() + 50).toISOString()
  const revoked = await keyOf('pusher', all, ['ingest', 'consume'])
  await admin('DELETE', `/admin/keys/${revoked.id}`)
  const pusher = await keyOf('pusher', all, ['ingest'])
  const batches = await pushed(url, pusher.key)
  return {
    endpoints,
    names: { ...names, batches: [...batches, 'nothing', 'A'.repeat(43)] },
    keys: {
      none: null,
      wrong: 'tm_guess',
      admin: adminKey,
      revoked: revoked.key,
      pusher: pusher.key,
      reader: (await keyOf('pusher', all, ['consume'])).key,
      both: (await keyOf('pusher', all, ['ingest', 'consume'])).key,
      expired: (await keyOf('pusher', all, ['ingest', 'consume'], soon).catch(() => ({ key: 'tm_late' }))).key,
      suspended: (await keyOf('other', [{ ingest: 'plant', entity: 'plant', suspended: true }], ['ingest', 'consume']))
        .key,
      bare: (await keyOf('nobody', [], ['ingest', 'consume'])).key,
    },
  }
}

async function pushed(url: string, key: string): Promise<readonly string[]> {
  const rows: Readonly<Record<string, readonly object[]>> = {
    plant: ['a', 'b', 'c.d', ''].map((T, V) => ({ D: `2026-01-01T00:0${V}:00Z`, T, V, L: V, F: 'f' })),
    meters: [{ id: 'a', n: 1 }, { id: '\u{1f600}' }, { n: 1 }],
    numbers: [{ id: 1, j: { a: [1] } }, { id: -5 }],
  }
  const batches: string[] = []
  for (const [alias, body] of Object.entries(rows)) {
    const path = `/ingests/${alias}/data`
    const { body: answer } = await call<{ batch?: string }>(url, 'POST', path, { key, body })
    // An ingest created here may have another kind by now, or be gone.
    if (answer.batch !== undefined) batches.push(answer.batch)
  }
  return batches
}

// Each endpoint of the API has a method in the client.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { queryKinds } from '../model/query-kind.ts'
import { Tidemark } from './tidemark.ts'

interface Interface {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
}

/** The protocols of other programs, and aliases of endpoints that have a method. */
const spokenByOthers =
  /^\/(druid|status|api|write|query|ping|health|mcp|i3x)\b|^\/ingest\/|^\/consumer\/data\/analytics-native-query$/

async function drain(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows);
}

/** One call of each method of the client. */
function calls(t: Tidemark): Promise<unknown>[] {
  const { alias, entity, table, name, id } = { alias: 'a', entity: 'e', table: 't', name: 'n', id: 'i' }
  return [
    ...queryKinds.map((kind) => drain(t.rows(kind, { entity }))),
    ...[t.query('select', { entity }), t.arrow('select', { entity }), drain(t.select({ entity }))],
    ...[t.sql(''), t.sqlArrow(''), drain(t.sqlRows('')), t.native({ queryType: 'scan' })],
    ...[
      t.push(alias, '', { format: 'json' }),
      t.check(alias, '', 'json'),
      t.checkLines(alias, ''),
      t.receipt(alias, id),
      t.ownIngest(alias),
    ],
    ...[t.live({ entity }, { signal: AbortSignal.timeout(100) }).next()],
    ...[t.entities(), t.tags(entity), t.metadata(), t.items(table, []), t.itemsById(table, [])],
    ...[t.rejected(alias), t.rejected(alias, {}, 'own'), t.rejectedSummary(alias), t.rejectedSummary(alias, 'own')],
    ...[t.batches(alias), t.batches(alias, {}, 'own'), t.discardRejected(alias, null), t.replayRejected(alias, null)],
    ...[t.discardRejected(alias, null, 'own'), t.previewReplay(alias, null, {}), t.quarantine(), t.quarantineBody(id)],
    ...[t.discardQuarantined(id), t.createIngest({ alias, kind: 'series' }), t.ingests(), t.ingest(alias)],
    ...[t.changeIngest(alias, {}), t.deleteIngest(alias, 'keep'), t.deleteItem(table, id), t.adminEntities()],
    ...[
      t.retain(entity, null),
      t.setReading(entity, {}),
      t.deleteRows(entity, { ids: ['a'], reason: 'wrong' }),
      t.deletions(entity),
      t.takeBackDeletion(entity, 1),
      t.storage(),
      t.createSubscriber(name),
      t.subscribers(),
      t.deleteSubscriber(name),
    ],
    ...[t.createKey(name, { rights: ['ingest'] }), t.deleteKey(id), t.subscriptions(name)],
    ...[t.putSubscriptions(name, []), t.backups(), t.makeBackup(), t.settings(), t.audit(), t.subscription()],
    ...[t.putHook(name, { url: '', kinds: [] }), t.hooks(), t.hook(name), t.deleteHook(name), t.hookDeliveries(name)],
    ...[t.putView(name, { cells: [] }), t.views(), t.view(name), t.deleteView(name)],
    ...[t.service(), t.health(), t.readiness(), t.metrics()],
  ]
}

test('every endpoint has a method in the client', async () => {
  const asked: string[] = []
  const network: typeof fetch = async (input, init) => {
    asked.push(`${init?.method?.toLowerCase()} ${new URL(String(input)).pathname}`)
    const accept = new Headers(init?.headers).get('accept') ?? ''
    return new Response('{"batch":"b"}', { headers: { 'content-type': accept, 'tidemark-batch': 'b' } })
  }
  await Promise.all(calls(new Tidemark({ url: 'http://service', fetch: network })))
  const { paths }: Interface = JSON.parse(readFileSync('test/openapi.json', 'utf8'))
  const endpoints = Object.entries(paths)
    .filter(([path]) => !spokenByOthers.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ method, path, operationId })),
    )
    // The same query as a GET address.
    .filter(({ operationId }) => !operationId.endsWith('-by-address'))
    .map(({ method, path }) => `${method} ${path}`)
  const isAsked = (endpoint: string): boolean => {
    const pattern = new RegExp(`^${endpoint.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return asked.some((request) => pattern.test(request))
  }
  expect(endpoints.filter((endpoint) => !isAsked(endpoint))).toEqual([])
})

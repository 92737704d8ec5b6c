// Deletions of rows over HTTP: permissions, refused requests, and queries, none of which returns deleted rows.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restoreBackup } from '../../src/admin/restore.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { embedded, isCopied, replicaUrl, restoreChecked, serveReplicated } from '../support/replica-world.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

interface Made {
  readonly id: number
  readonly rows: number
}

let service: RunningService
let pusher: string
const keys: Record<string, string> = {}
const admin = { key: adminKey }
const path = '/admin/entities/plant/deletions'
const hour = (number: number): string => new Date(Date.UTC(2026, 0, 1, number)).toISOString()

beforeAll(async () => {
  service = await runService({ 'limits.deletions': '3' })
  pusher = await makeIngest(service.url, adminKey, { alias: 'plant' })
  for (const [name, rights, entity] of [
    ['corrector', ['correct', 'consume'], 'plant'],
    ['blind', ['correct'], 'plant'],
    ['reader', ['consume'], 'plant'],
    ['stranger', ['correct', 'consume'], 'other'],
  ] as const) {
    await callOk(service.url, 'POST', '/admin/subscribers', { ...admin, body: { name } })
    const subscriptions = { ...admin, body: [{ entity }] }
    await callOk(service.url, 'PUT', `/admin/subscribers/${name}/subscriptions`, subscriptions)
    const made = await callOk<{ key: string }>(service.url, 'POST', `/admin/subscribers/${name}/keys`, {
      ...admin,
      body: { rights },
    })
    keys[name] = made.key
  }
})
afterAll(() => service?.close())

const push = (rows: readonly object[]) =>
  callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key: pusher, body: rows })
const remove = (body: object, key = adminKey) =>
  call<Made & { code?: string; detail?: string }>(service.url, 'POST', path, {
    key,
    body: { reason: 'wrong', ...body },
  })
const values = async (): Promise<unknown[]> => {
  const items = await callOk<{ T: string; V: unknown }[]>(service.url, 'POST', '/consumer/data/select', {
    body: { entity: 'plant' },
  })
  return items.map(({ T, V }) => `${T}${V}`)
}

test('a deletion hides the rows pushed before it, and undoing it shows them again', async () => {
  await push([1, 2, 3].flatMap((number) => ['a', 'b'].map((T) => ({ D: hour(number), T, V: number }))))
  const dry = await remove({ ids: ['a'], start_date: hour(2), dry_run: true })
  expect(dry).toEqual({ status: 200, body: { rows: 2 } })
  const { status, body } = await remove({ ids: ['a'], start_date: hour(2) }, keys['corrector'])
  expect(status).toBe(201)
  expect(body).toEqual({
    id: 1,
    rows: 2,
    selection: {
      ...{ ids: ['a'], prefixes: null, id_name_field: 'T', start_date: hour(2), end_date: null },
      ...{ metrics: null, where: null },
    },
    reason: 'wrong',
    subscriber: 'corrector',
    created: expect.any(String),
    erased: null,
  })
  expect(await values()).toEqual(['a1', 'b1', 'b2', 'b3'])
  await push([{ D: hour(2), T: 'a', V: 20 }])
  expect((await remove({ where: { metric: 'V', op: '!=', value: 20 }, metrics: ['V'] })).body).toMatchObject({
    rows: 4,
  })
  expect(await values()).toEqual(['a20'])
  const listed = await callOk<{ Items: Made[] }>(service.url, 'GET', `${path}?limit=1`, { key: keys['corrector']! })
  expect(listed).toMatchObject({ Items: [{ id: 2, rows: 4 }], NextToken: expect.any(String) })
  service = await service.restart()
  expect(await values()).toEqual(['a20'])
  for (const [id, status] of [
    [2, 204],
    [2, 404],
    [1, 204],
    ['x', 404],
  ] as const)
    expect((await call(service.url, 'DELETE', `${path}/${id}`, { key: keys['corrector']! })).status).toBe(status)
  expect(await values()).toEqual(['a1', 'b1', 'a2', 'a20', 'b2', 'a3', 'b3'])
})

describe('refusals', () => {
  test.each<[body: object, path: string]>([
    [{}, 'No items are selected'],
    [{ ids: [], prefixes: [], metrics: ['V'] }, 'No items are selected'],
    [{ prefixes: [''] }, 'No items are selected'],
    [{ ids: ['a'], reason: '' }, 'reason'],
    [{ ids: ['a'], reason: ' \n' }, 'reason: must say why'],
    [{ ids: Array(1001).fill('a') }, 'ids must have at most 1000 items'],
    [{ prefixes: Array(1001).fill('a') }, 'prefixes must have at most 1000 items'],
    [{ ids: ['a'], metrics: ['T'] }, 'metrics[0]'],
    [{ ids: ['a'], id_name_field: 'V' }, 'id_name_field'],
    [{ start_date: hour(2), end_date: hour(1) }, 'start_date'],
    [{ where: { metric: 'V', op: '>', value: 'x' } }, 'where.value'],
    [{ where: { metric: 'X', op: '>', value: 1 } }, 'where.metric: "X"'],
    [{ where: { metric: 'V', op: 'like', value: 1 } }, 'where.op must be < or <='],
    [{ ids: ['a'], other: 1 }, 'other'],
  ])('%j is a 400 that names the property', async (body, named) => {
    const answer = await remove(body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(answer.body.detail).toContain(named)
  })

  test('a key without the right to correct gets a 403, whether the entity exists or not', async () => {
    for (const name of ['blind', 'reader', 'stranger', 'nobody']) {
      const key = keys[name] ?? 'a-key-that-nobody-has-ever-had'
      for (const entity of ['plant', 'nowhere']) {
        const at = `/admin/entities/${entity}/deletions`
        expect((await call(service.url, 'GET', at, { key })).status).toBe(403)
        expect((await call(service.url, 'POST', at, { key, body: { ids: ['a'], reason: 'x' } })).status).toBe(403)
        expect((await call(service.url, 'DELETE', `${at}/1`, { key })).status).toBe(403)
      }
    }
    expect((await call(service.url, 'GET', '/admin/entities/nowhere/deletions', admin)).status).toBe(404)
  })

  test('a deletion beyond limits.deletions is a 409 until one is undone; dry runs are not audited', async () => {
    const made: number[] = []
    for (let count = 0; count < 3; count++) made.push((await remove({ ids: ['a'] })).body.id)
    expect(await remove({ ids: ['a'] })).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect((await remove({ ids: ['a'], dry_run: true })).status).toBe(200)
    const lines = await callOk<{ Items: object[] }>(service.url, 'GET', '/admin/audit?what=deleteRows&limit=1', admin)
    expect(lines.Items[0]).toMatchObject({ what: 'deleteRows', name: 'plant', after: { id: made[2], rows: 0 } })
    for (const id of made) await callOk(service.url, 'DELETE', `${path}/${id}`, admin)
    expect((await remove({ ids: ['nothing'] })).status).toBe(201)
  })
})

describe.skipIf(onCluster)('erased rows', () => {
  /** Files of the data folder that contain a text. */
  const holding = (directory: string, text: string): string[] =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const file = join(directory, name)
      return statSync(file).isFile() && readFileSync(file).includes(text)
    })

  test('are in no file of the data folder, and cannot be undone', { timeout: 60_000 }, async () => {
    const secret = 'qX7vTz0WmB3kLr9s'
    const own = await runService({
      'deletions.eraseAfterMs': '1500',
      'store.retentionCheckMs': '50',
      'journal.segmentBytes': '65536',
    })
    try {
      const fields = [
        { name: 'D', type: 'timestamp', role: 'time' },
        { name: 'T', type: 'string', role: 'tag' },
        { name: 'S', type: 'string', role: 'metric' },
      ]
      const key = await makeIngest(own.url, adminKey, { alias: 'plant', fields })
      const pushText = (T: string, S: string) =>
        callOk(own.url, 'POST', '/ingests/plant/data?wait=true', { key, body: [{ D: hour(1), T, S }] })
      await pushText('a', secret)
      await pushText('b', 'stays')
      expect(holding(own.dataDirectory, secret)).not.toEqual([])
      const made = await callOk<Made>(own.url, 'POST', path, {
        ...admin,
        body: { ids: ['a'], reason: 'private' },
      })
      await expect
        .poll(async () => (await callOk<{ Items: { erased: unknown }[] }>(own.url, 'GET', path, admin)).Items.at(-1), {
          timeout: 20_000,
        })
        .toMatchObject({ erased: expect.any(String) })
      for (let count = 0; count < 40; count++) await pushText('c', 'x'.repeat(2000))
      expect((await call(own.url, 'DELETE', `${path}/${made.id}`, admin)).status).toBe(409)
      await expect.poll(() => holding(own.dataDirectory, secret), { timeout: 20_000 }).toEqual([])
    } finally {
      await own.close()
    }
  })
})

describe.skipIf(onCluster)('a backup or replica', () => {
  const at = hour(1)
  const valuesIn = async (url: string): Promise<unknown[]> => {
    const items = await callOk<{ V: unknown }[]>(url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })
    return items.map(({ V }) => V)
  }
  /** The values that a service on this folder returns, before and after the deletion is undone. */
  const shownIn = async (dataDirectory: string, id: number): Promise<unknown[][]> => {
    const restored = await runService({}, { ...embedded, dataDirectory })
    try {
      const before = await valuesIn(restored.url)
      await callOk(restored.url, 'DELETE', `${path}/${id}`, admin)
      return [before, await valuesIn(restored.url)]
    } finally {
      await restored.close()
    }
  }

  test('contains the deletions, which can be undone in a service restored from it', { timeout: 60_000 }, () =>
    inScratchFolder('tidemark-deletions-', async (directory) => {
      const own = await serveReplicated(directory, 'data')
      try {
        const key = await makeIngest(own.url, adminKey, { alias: 'plant' })
        const pushed = async (values: readonly number[]): Promise<void> => {
          const body = values.map((V) => ({ D: at, T: 'a', V }))
          await callOk(own.url, 'POST', '/ingests/plant/data', { key, body })
        }
        const removed = (body: object) =>
          callOk<Made>(own.url, 'POST', path, { ...admin, body: { reason: 'wrong', ...body } })
        await pushed([1, 2, 3])
        const { id } = await removed({ where: { metric: 'V', op: '>', value: 1 } })
        await pushed([4])
        const backup = await callOk<{ path: string }>(own.url, 'POST', '/admin/backups', admin)
        const { id: later } = await removed({ ids: ['a'] })
        await isCopied(own.url)
        expect(await valuesIn(own.url)).toEqual([])
        const fromBackup = join(directory, 'from-backup')
        await restoreBackup({ backup: backup.path, data: fromBackup }, { disk: nodeDisk, reach: () => undefined })
        expect(await shownIn(fromBackup, id)).toEqual([
          [1, 4],
          [1, 2, 3, 4],
        ])
        const fromCopy = join(directory, 'from-copy')
        await restoreChecked(replicaUrl(directory), fromCopy)
        expect(await shownIn(fromCopy, later)).toEqual([[], [1, 4]])
      } finally {
        await own.close()
      }
    }),
  )
})

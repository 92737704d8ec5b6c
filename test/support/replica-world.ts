// A service with a replica in another folder, and operations on the replica after the service's own folder is lost.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { loadSettings } from '../../src/config/load.ts'
import type { ReplicaLocation } from '../../src/service/open-object-store.ts'
import { restoreFromReplica } from '../../src/service/replicas.ts'
import { verifyData } from '../../src/service/verify-data.ts'
import { call, callOk } from './api.ts'
import { type RunningService, runService } from './running-service.ts'
import { adminKey } from './server-process.ts'

/** A replica follows a single machine. */
export const embedded = { engine: 'embedded' } as const

/** Settings that let the replica follow within milliseconds and rows be sealed soon. */
export const quickReplica = {
  'replica.intervalMs': '20',
  'replica.catalogMs': '50',
  'store.headRows': '40',
  'store.headAgeMs': '300',
}

/** A service with its data in one folder of the directory and the replica in another. */
export function serveReplicated(
  directory: string,
  data: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const dataDirectory = join(directory, data)
  return runService(
    { ...quickReplica, 'replica.url': replicaUrl(directory), ...settings },
    { ...embedded, dataDirectory },
  )
}

interface Readiness {
  readonly replica: {
    readonly position: number
    readonly time: string | null
    readonly lagMs: number
    readonly lagBytes: number
    readonly error: string | null
  }
}

export function replicaUrl(directory: string): string {
  return pathToFileURL(join(directory, 'copy')).href
}

export async function replicaState(url: string): Promise<Readiness['replica']> {
  return (await call<Readiness>(url, 'GET', '/readyz', { key: adminKey })).body.replica
}

/** Resolves when the replica has everything that is stored at the time. */
export async function isCopied(url: string): Promise<void> {
  for (;;) {
    const { lagMs, time } = await replicaState(url)
    if (time !== null && lagMs === 0) return
    await sleep(10)
  }
}

/** Restores a replica; throws when the result differs from what a start expects. */
export async function restoreChecked(
  copy: string | ReplicaLocation,
  data: string,
  at: string | null = null,
): Promise<number> {
  const place = typeof copy === 'string' ? { url: copy, endpoint: '', region: '' } : copy
  const events = {
    reach: () => undefined,
    progress: () => undefined,
    failed: (message: string) => {
      throw new Error(message)
    },
  }
  const { chosen } = await restoreFromReplica({ ...place, data, atMs: at === null ? null : Date.parse(at) }, events)
  const settings = loadSettings({ flags: { data }, environment: {}, file: null })
  for await (const { part, isDamaged, found } of verifyData(settings)) {
    if (isDamaged) throw new Error(`${part}: ${found}`)
  }
  await rm(join(data, 'owner.lock'), { force: true })
  return chosen.cut[1]
}

/** Runs `work` on a service over a restored replica, current or as of a time. The service has no replica itself. Its folder is deleted afterwards. */
export async function withRestored<T>(
  directory: string,
  at: string | null,
  work: (service: RunningService) => Promise<T>,
): Promise<T> {
  const dataDirectory = join(directory, 'restored')
  await restoreChecked(replicaUrl(directory), dataDirectory, at)
  const service = await runService({}, { ...embedded, dataDirectory })
  try {
    return await work(service)
  } finally {
    await service.close()
  }
}

export const upTo = (end: number, begin = 0): number[] =>
  Array.from({ length: end - begin }, (_, index) => begin + index)

const firstMs = Date.UTC(2026, 0, 1)

/** Rows with these values. Each value that ends in 9 has a wrong type. */
export function rowsOf(values: readonly number[]): readonly object[] {
  return values.map((value) => ({
    D: new Date(firstMs + value * 1000).toISOString(),
    T: `t${value % 7}`,
    V: value % 10 === 9 ? `bad ${value}` : value,
  }))
}

/** Resolves when the rows have been validated. */
export async function pushValues(url: string, key: string, values: readonly number[], alias = 'kept'): Promise<void> {
  await callOk(url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body: rowsOf(values) })
}

/** All values, stored or rejected, each as often as it occurs. */
export async function valuesIn(url: string, alias = 'kept'): Promise<readonly number[]> {
  const items = await callOk<{ V: number }[]>(url, 'POST', '/consumer/data/select', { body: { entity: alias } })
  const values = items.map(({ V }) => V)
  let token = ''
  do {
    const path = `/admin/ingests/${alias}/rejected?limit=1000${token === '' ? '' : `&NextToken=${encodeURIComponent(token)}`}`
    const page = await callOk<{ Items: { row: string }[]; NextToken: string | null }>(url, 'GET', path, {
      key: adminKey,
    })
    values.push(...page.Items.map(({ row }) => Number(/bad (\d+)/.exec(row)?.[1])))
    token = page.NextToken ?? ''
  } while (token !== '')
  return values.sort((one, other) => one - other)
}

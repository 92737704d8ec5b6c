import { expect, test } from 'vitest'
import type { Hook, HookCatalog } from '../catalog/hooks.ts'
import { loadSettings } from '../config/load.ts'
import { ObservedConditions } from '../hooks/observed-conditions.ts'
import type { ServiceEvent } from '../observe/event.ts'
import { type HookParts, openHooks } from './open-hooks.ts'
import type { Closer } from './open-storage.ts'

test('stored deliveries are sent, and conditions observed while checking rows fails are recorded', async () => {
  const hook: Hook = {
    name: 'h',
    url: 'http://h',
    kinds: [{ kind: 'disk_low' }],
    secret: null,
    secretSetMs: null,
    createdMs: 0,
  }
  let list = [hook]
  const asked: string[] = []
  const raised: string[] = []
  let looks = 0
  const hooks: HookCatalog = {
    list: async () => list,
    find: async () => hook,
    put: async () => false,
    delete: async () => false,
    raise: async (conditions) => {
      raised.push(...conditions.map(({ kind }) => kind))
    },
    lastReceived: async () => {
      if (looks++ === 0) return []
      throw new Error('not now')
    },
    putLastReceived: async () => undefined,
    due: async (name) => {
      asked.push(name)
      return []
    },
    note: async () => undefined,
    deliveries: async () => [],
    lease: async () => true,
  }
  const events: ServiceEvent[] = []
  const observed = new ObservedConditions()
  const closers: Closer[] = []
  openHooks(
    {
      settings: loadSettings({ flags: { 'limits.checkMs': '1' }, environment: {}, file: null }),
      observe: (event) => events.push(event),
      observed,
      nowMs: () => 0,
      catalog: { hooks, rejected: {} as HookParts['catalog']['rejected'] },
      definitions: { ingests: () => [] } as unknown as HookParts['definitions'],
      progress: {} as HookParts['progress'],
      queries: {} as HookParts['queries'],
    },
    closers,
  )
  try {
    await expect.poll(() => asked).toContain('h')
    await expect.poll(() => raised).toEqual([])
    list = [hook, { ...hook, name: 'other' }]
    await expect.poll(() => events).toContainEqual({ kind: 'checkFailed', message: 'Error: not now' })
    observed.observe({ kind: 'diskFilling', disk: 'd', freeBytes: 1, floorBytes: 2 })
    await expect.poll(() => raised).toContain('disk_low')
  } finally {
    for (const close of closers.reverse()) await close({ atOnce: AbortSignal.abort(), leftMs: () => 0 })
  }
})

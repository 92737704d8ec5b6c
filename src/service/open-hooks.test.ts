import { expect, test } from 'vitest'
import type { Hook, HookCatalog } from '../catalog/hooks.ts'
import { loadSettings } from '../config/load.ts'
import { ObservedConditions } from '../hooks/observed-conditions.ts'
import type { ServiceEvent } from '../observe/event.ts'
import { type HookParts, openHooks } from './open-hooks.ts'
import type { Closer } from './open-storage.ts'

test('what is kept for a hook is sent also while looking at rows fails', async () => {
  const hook: Hook = { name: 'h', url: 'http://h', kinds: [{ kind: 'disk_low' }], secret: null, createdMs: 0 }
  const asked: string[] = []
  const hooks: HookCatalog = {
    list: async () => [hook],
    find: async () => hook,
    put: async () => false,
    delete: async () => false,
    raise: async () => undefined,
    heard: () => Promise.reject(new Error('not now')),
    putHeard: async () => undefined,
    due: async (name) => {
      asked.push(name)
      return []
    },
    note: async () => undefined,
    deliveries: async () => [],
    lease: async () => true,
  }
  const events: ServiceEvent[] = []
  const closers: Closer[] = []
  openHooks(
    {
      settings: loadSettings({ flags: { 'limits.checkMs': '1' }, environment: {}, file: null }),
      observe: (event) => events.push(event),
      observed: new ObservedConditions(),
      nowMs: () => 0,
      catalog: { hooks, rejected: {} as HookParts['catalog']['rejected'] },
      definitions: {} as HookParts['definitions'],
      progress: {} as HookParts['progress'],
      queries: {} as HookParts['queries'],
    },
    closers,
  )
  try {
    await expect.poll(() => asked).toContain('h')
    expect(events).toContainEqual({ kind: 'checkFailed', message: 'Error: not now' })
  } finally {
    for (const close of closers.reverse()) await close({ atOnce: AbortSignal.abort(), leftMs: () => 0 })
  }
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AccessCatalog, AccessState, Key, Subscription } from '../catalog/catalog.ts'
import type { Right } from '../model/right.ts'
import { Access } from './access.ts'
import { isCaller, type Requester } from './caller.ts'
import { type Credential, hashKey } from './keys.ts'

const unlimited: Subscription = { ingest: null, entity: null, fromMs: null, untilMs: null, suspended: false }

function key(text: string, subscriberId: number, rights: readonly Right[], expiresMs: number | null = null): Key {
  return { id: text, subscriberId, hash: hashKey(text), rights, createdMs: 0, expiresMs }
}

const start: AccessState = {
  version: 1,
  subscribers: [
    { id: 1, name: 'plant', createdMs: 0 },
    { id: 2, name: 'nobody', createdMs: 0 },
    { id: 3, name: 'everyone', createdMs: 0 },
  ],
  keys: [
    key('push', 1, ['ingest']),
    key('read', 1, ['consume']),
    key('both', 1, ['consume', 'ingest']),
    key('root', 2, ['admin']),
    key('watch', 2, ['observe']),
    key('bare', 2, ['ingest', 'consume']),
    key('star', 3, ['ingest', 'consume']),
    key('brief', 3, ['ingest'], 1000),
  ],
  subscriptions: new Map([
    [
      1,
      [
        { ...unlimited, ingest: 'a', entity: 'e' },
        { ...unlimited, ingest: 'timed', entity: 'timed', fromMs: 100, untilMs: 200 },
        { ...unlimited, ingest: 'asleep', entity: 'asleep', suspended: true },
        { ...unlimited, ingest: 'twice', suspended: true },
        { ...unlimited, ingest: 'twice', fromMs: 100 },
      ],
    ],
    [3, [{ ...unlimited, ingest: '*', entity: '*' }]],
  ]),
}

let state: AccessState
let nowMs: number
let access: Access
/** True while the catalog cannot be read. */
let away: boolean
const refused = async (): Promise<never> => {
  throw new Error('access only reads the catalog')
}
const catalog: AccessCatalog = {
  state: async () => {
    if (away) throw new Error('away')
    return state
  },
  find: refused,
  createSubscriber: refused,
  deleteSubscriber: refused,
  putKey: refused,
  deleteKey: refused,
  putSubscriptions: refused,
}
beforeEach(async () => {
  state = start
  nowMs = 150
  away = false
  access = await Access.open(catalog, () => nowMs)
})
afterEach(() => {
  access.close()
  vi.useRealTimers()
})

const callerOf = (apiKey: string) => access.identify({ apiKey })
const subscriberOf = (asker: Requester) => (isCaller(asker) ? asker.subscriber : null)

test.each<[string, Credential, string | null]>([
  ['no credential', {}, null],
  ['X-API-Key', { apiKey: 'push' }, 'plant'],
  ['Bearer', { authorization: 'Bearer push' }, 'plant'],
  ['bearer in any case, with more spaces', { authorization: 'bEARER   push ' }, 'plant'],
  ['the same key in both headers', { authorization: 'Bearer push', apiKey: 'push' }, 'plant'],
  ['two keys of one subscriber in both headers', { authorization: 'Bearer push', apiKey: 'read' }, null],
  ['a valid and an unknown key in both headers', { authorization: 'Bearer nonsense', apiKey: 'push' }, null],
  ['another scheme', { authorization: 'Basic push' }, null],
  ['another scheme besides a key', { authorization: 'Basic push', apiKey: 'push' }, null],
  ['Basic where it is accepted', { authorization: 'Basic YTpwdXNo', schemes: ['basic'] }, 'plant'],
  ['Basic where it is not accepted', { authorization: 'Basic YTpwdXNo' }, null],
  ['Token where it is accepted', { authorization: 'Token push', schemes: ['token'] }, 'plant'],
  ['Token with a user', { authorization: 'Token anyone:push', schemes: ['token'] }, 'plant'],
  ['Token where it is not accepted', { authorization: 'Token push' }, null],
  ['no scheme', { authorization: 'push' }, null],
  ['an empty Authorization header', { authorization: '', apiKey: 'push' }, null],
  ['an empty key', { apiKey: '' }, null],
  ['two keys in one header', { apiKey: 'push, push' }, null],
  ['an unknown key', { apiKey: 'nonsense' }, null],
  ['the hash of a key', { apiKey: hashKey('push') }, null],
])('%s', (_, credential, subscriber) => {
  expect(subscriberOf(access.identify(credential))).toBe(subscriber)
})

test.each([
  [999, 'everyone'],
  [1000, null],
  [1001, null],
])('a key that expires at 1000 is valid only before: at %i', (at, subscriber) => {
  nowMs = at
  expect(subscriberOf(callerOf('brief'))).toBe(subscriber)
})

const forbidden = expect.objectContaining({ code: 'forbidden' })

test.each<[string, Credential, string]>([
  ['no credential', {}, 'This request needs an API key. Send one as "Authorization: Bearer <key>"'],
  ['another scheme', { authorization: 'Basic push' }, 'The Authorization header has no key.'],
  ['two different keys', { authorization: 'Bearer push', apiKey: 'read' }, 'two different credentials'],
  [
    'an unknown key',
    { apiKey: 'nonsense' },
    'The API key is unknown: it was mistyped or cut off, or it has been revoked.',
  ],
  ['an expired key', { apiKey: 'brief' }, 'The API key expired on 1970-01-01T00:00:01.000Z.'],
])('%s is refused with the reason', (_, credential, detail) => {
  nowMs = 5000
  const asker = access.identify(credential)
  expect(() => access.requireAdmin(asker)).toThrow(detail)
  expect(() => access.requireConsume(asker)).toThrow(detail)
  expect(() => access.requireIngest(asker, 'a')).toThrow(detail)
  expect(() => access.requireOwnRows(asker, 'a')).toThrow(detail)
  expect(() => access.describe(asker)).toThrow(detail)
})

describe('pushing', () => {
  test.each<[string, string, number, boolean]>([
    ['push', 'a', 150, true],
    ['both', 'a', 150, true],
    ['read', 'a', 150, false],
    ['root', 'a', 150, false],
    ['bare', 'a', 150, false],
    ['star', 'a', 150, true],
    ['star', 'anything', 150, true],
    ['push', 'A', 150, false],
    ['push', 'e', 150, false],
    ['push', '*', 150, false],
    ['push', 'asleep', 150, false],
    ['push', 'timed', 99, false],
    ['push', 'timed', 100, true],
    ['push', 'timed', 199, true],
    ['push', 'timed', 200, false],
    ['push', 'twice', 99, false],
    ['push', 'twice', 100, true],
    ['nonsense', 'a', 150, false],
  ])('with %j to %j at %i is allowed: %j', (apiKey, alias, at, allowed) => {
    nowMs = at
    const caller = callerOf(apiKey)
    if (allowed) expect(access.requireIngest(caller, alias)).toBe(caller)
    else expect(() => access.requireIngest(caller, alias)).toThrow(forbidden)
  })

  test.each([
    ['nonsense', 'The API key is unknown'],
    ['read', 'lacks the right `ingest`'],
    ['root', 'This is an admin key, which cannot push.'],
    ['bare', 'no valid subscription to the ingest "a"'],
  ])('the refusal of %j states the remedy', (apiKey, detail) => {
    expect(() => access.requireIngest(callerOf(apiKey), 'a')).toThrow(detail)
  })

  test.each([
    ['push', 'aslepe', 'ingest "aslepe". "asleep" may be meant. GET'],
    ['push', 'elsewhere', 'ingest "elsewhere". GET'],
    // Subscriptions of others are not revealed.
    ['bare', 'aslepe', 'ingest "aslepe". GET'],
    ['star', '*', null],
  ])('the refusal of %j to push to %j suggests only ingests of its own subscriber: %j', (apiKey, alias, detail) => {
    const push = () => access.requireIngest(callerOf(apiKey), alias)
    if (detail === null) push()
    else expect(push).toThrow(detail)
  })
})

test.each<[string, string, number, boolean]>([
  ['push', 'a', 150, true],
  ['star', 'anything', 150, true],
  ['push', 'timed', 150, true],
  ['push', 'timed', 99, false],
  // The subscription has ended; the rows pushed under it stay visible.
  ['push', 'timed', 5000, true],
  ['push', 'asleep', 150, false],
  ['push', 'twice', 150, true],
  ['push', 'other', 150, false],
  ['read', 'a', 150, false],
  ['root', 'a', 150, false],
  ['bare', 'a', 150, false],
  ['brief', 'a', 1500, false],
  ['nonsense', 'a', 150, false],
])('with %j, seeing own rows pushed to %j at %i is allowed: %j', (apiKey, alias, at, allowed) => {
  nowMs = at
  const caller = callerOf(apiKey)
  if (allowed) expect(access.requireOwnRows(caller, alias)).toBe(caller)
  else expect(() => access.requireOwnRows(caller, alias)).toThrow(forbidden)
})

test.each<[string, string, number, boolean]>([
  ['read', 'e', 150, true],
  ['both', 'e', 150, true],
  ['push', 'e', 150, false],
  ['bare', 'e', 150, false],
  ['root', 'e', 150, true],
  ['root', 'anything', 150, true],
  ['star', 'anything', 150, true],
  ['read', 'a', 150, false],
  ['read', 'asleep', 150, false],
  ['read', 'timed', 99, false],
  ['read', 'timed', 100, true],
  ['read', 'timed', 200, false],
  ['nonsense', 'e', 150, false],
])('with %j, reading from %j at %i is allowed: %j', (apiKey, entity, at, allowed) => {
  nowMs = at
  expect(access.mayRead(callerOf(apiKey), entity)).toBe(allowed)
})

test.each([
  ['root', true],
  ['read', true],
  ['bare', true],
  ['push', false],
  ['brief', false],
  ['nonsense', false],
])('with %j, reading in general is allowed: %j', (apiKey, allowed) => {
  const caller = callerOf(apiKey)
  if (allowed) expect(access.requireConsume(caller)).toBe(caller)
  else expect(() => access.requireConsume(caller)).toThrow(forbidden)
})

test.each([
  ['root', true],
  ['both', false],
  ['nonsense', false],
])('with %j, admin access is allowed: %j', (apiKey, allowed) => {
  const caller = callerOf(apiKey)
  if (allowed) expect(access.requireAdmin(caller)).toBe(caller)
  else expect(() => access.requireAdmin(caller)).toThrow(forbidden)
})

test('describes the rights and subscriptions of a key', () => {
  expect(access.describe(callerOf('both'))).toEqual({
    subscriber: 'plant',
    rights: ['ingest', 'consume'],
    subscriptions: [
      { ingest: 'a', entity: 'e', from: null, until: null, suspended: false, valid: true },
      {
        ingest: 'timed',
        entity: 'timed',
        from: '1970-01-01T00:00:00.100Z',
        until: '1970-01-01T00:00:00.200Z',
        suspended: false,
        valid: true,
      },
      { ingest: 'asleep', entity: 'asleep', from: null, until: null, suspended: true, valid: false },
      { ingest: 'twice', from: null, until: null, suspended: true, valid: false },
      { ingest: 'twice', from: '1970-01-01T00:00:00.100Z', until: null, suspended: false, valid: true },
    ],
  })
  expect(access.describe(callerOf('root'))).toEqual({ subscriber: 'nobody', rights: ['admin'], subscriptions: [] })
  expect(() => access.describe(access.identify({}))).toThrow(forbidden)
})

test('a change applies after the refresh, also to callers that were identified before', async () => {
  const caller = callerOf('push')
  state = { ...start, version: 2, keys: [], subscriptions: new Map() }
  expect(subscriberOf(callerOf('push'))).toBe('plant')
  await access.refresh()
  expect(subscriberOf(callerOf('push'))).toBeNull()
  expect(() => access.requireIngest(caller, 'a')).toThrow(forbidden)
})

test('a revoked key remains valid only until the catalog can be read again', async () => {
  vi.useFakeTimers()
  state = { ...start, version: 2, keys: [] }
  away = true
  await expect(access.refresh()).rejects.toThrow('away')
  expect(subscriberOf(callerOf('push'))).toBe('plant')
  await vi.advanceTimersByTimeAsync(5000)
  away = false
  await vi.advanceTimersByTimeAsync(1000)
  expect(subscriberOf(callerOf('push'))).toBeNull()
})

test('the state of a restored catalog applies, even with a lower version', async () => {
  state = { ...start, version: 9 }
  await access.refresh()
  state = { ...start, version: 2, keys: [] }
  await access.refresh()
  expect(subscriberOf(callerOf('push'))).toBeNull()
})

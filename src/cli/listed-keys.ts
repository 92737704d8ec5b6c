import type { KeySummary, SubscriberAnswer } from '../client/answers.ts'
import type { ItemColumn } from './output.ts'

/** A key as lists show it, with whom it belongs to. */
export type ListedKey = KeySummary & { readonly subscriber: string }
type Expiry = Pick<KeySummary, 'expires'>

export function keysOf(subscribers: readonly SubscriberAnswer[]): readonly ListedKey[] {
  return subscribers.flatMap(({ name, keys = [] }) => keys.map((key) => ({ ...key, subscriber: name })))
}

function hasExpired({ expires }: Expiry, nowMs: number): boolean {
  return expires !== null && Date.parse(expires) <= nowMs
}

/** When a key expires, as a person reads it. */
export function expiryText(key: Expiry, nowMs: number): string {
  if (key.expires === null) return 'never'
  return hasExpired(key, nowMs) ? `${key.expires} (expired)` : key.expires
}

export function listedKeyColumns(nowMs: number): readonly ItemColumn<ListedKey>[] {
  return [
    { title: 'id', cell: ({ id }) => id },
    { title: 'subscriber', cell: ({ subscriber }) => subscriber },
    { title: 'rights', cell: ({ rights }) => rights.join(', ') },
    { title: 'created', cell: ({ created }) => created },
    { title: 'expires', cell: (key) => expiryText(key, nowMs) },
  ]
}

/** The id of a key with the right `admin` after whose going none is left that is valid; null where one stays, or none goes. */
export function lastAdminKey(
  keys: readonly ListedKey[],
  nowMs: number,
  goes: (key: ListedKey) => boolean,
): string | null {
  const admins = keys.filter((key) => key.rights.includes('admin') && !hasExpired(key, nowMs))
  return admins.every(goes) ? (admins[0]?.id ?? null) : null
}

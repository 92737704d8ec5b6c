import { keptStore } from './kept-store.ts'

/** A tag that the user wants to see first. */
export interface Pin {
  readonly entity: string
  readonly tag: string
}

const isPin = (value: unknown): value is Pin =>
  typeof Reflect.get(Object(value), 'entity') === 'string' && typeof Reflect.get(Object(value), 'tag') === 'string'

export const pins = keptStore<readonly Pin[]>('tidemark.pins', (kept) =>
  Array.isArray(kept) ? kept.filter(isPin) : [],
)

const isSame = (a: Pin, b: Pin): boolean => a.entity === b.entity && a.tag === b.tag

export const isPinned = (all: readonly Pin[], pin: Pin): boolean => all.some((one) => isSame(one, pin))

/** Pins all of them, or unpins them if all are pinned. */
export function togglePins(some: readonly Pin[]): void {
  const all = pins.get()
  const others = all.filter((one) => !isPinned(some, one))
  const isOff = some.every((pin) => isPinned(all, pin))
  pins.set(isOff ? others : [...others, ...some])
}

// The current page is stored after the # of the address. It can be shared and is in the history, and no server, proxy or log sees its names.
import { storeOf, useStore } from './store.ts'

export interface Place {
  /** `['ingests', 'plant']`, decoded. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) }
}

const place = storeOf(placeOf(location.hash))
/** The number of steps within the portal that led here, so that Back does not leave the portal. */
const depth = storeOf(depthKept() ?? 0)

function depthKept(): number | null {
  const kept: unknown = Reflect.get(Object(history.state), 'depth')
  return typeof kept === 'number' ? kept : null
}

// Marks the first entry, so that a step back to it is recognized.
if (depthKept() === null) history.replaceState({ depth: 0 }, '')

addEventListener('hashchange', () => {
  // A new history entry has no depth yet.
  const kept = depthKept()
  if (kept === null) history.replaceState({ depth: depth.get() + 1 }, '')
  depth.set(kept ?? depth.get() + 1)
  place.set(placeOf(location.hash))
})

export const useMayGoBack = (): boolean => useStore(depth) > 0

export function goBack(): void {
  if (depth.get() > 0) history.back()
}

export const usePlace = (): Place => useStore(place)

export function goTo(link: string): void {
  location.hash = link
}

/** As `goTo`, but replaces the history entry. */
export function replaceWith(link: string): void {
  history.replaceState({ depth: depth.get() }, '', link)
  place.set(placeOf(link))
}

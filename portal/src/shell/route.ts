// Where the reader is stands behind the # of the address: it can be shared and gone back to, and no server, proxy or log sees what it names.
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
/** How many steps in the portal led here: Back leads to no other site. */
const depth = storeOf(depthKept() ?? 0)

function depthKept(): number | null {
  const kept: unknown = Reflect.get(Object(history.state), 'depth')
  return typeof kept === 'number' ? kept : null
}

// So that a step back to it is known for one.
if (depthKept() === null) history.replaceState({ depth: 0 }, '')

addEventListener('hashchange', () => {
  // A new step knows of no depth yet.
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

/** As `goTo`, but without a step to go back to. */
export function replaceWith(link: string): void {
  history.replaceState({ depth: depth.get() }, '', link)
  place.set(placeOf(link))
}

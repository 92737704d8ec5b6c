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
addEventListener('hashchange', () => place.set(placeOf(location.hash)))

export const usePlace = (): Place => useStore(place)

export function goTo(link: string): void {
  location.hash = link
}

/** As `goTo`, but without a step to go back to. */
export function replaceWith(link: string): void {
  history.replaceState(null, '', link)
  place.set(placeOf(link))
}

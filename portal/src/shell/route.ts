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

type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** `linkTo(['ingests', 'a/b'], {code: 'x'})` is `#/ingests/a%2Fb?code=x`; what is empty is left out. */
export function linkTo(path: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) if (one !== '') search.append(name, one)
  }
  return `#/${path.map(encodeURIComponent).join('/')}${search.size === 0 ? '' : `?${search}`}`
}

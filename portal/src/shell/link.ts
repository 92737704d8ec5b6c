type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** `linkTo(['ingests', 'a/b'], {code: 'x'})` returns `#/ingests/a%2Fb?code=x`. Empty values are omitted. */
export function linkTo(path: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) if (one !== '') search.append(name, one)
  }
  return `#/${path.map(encodeURIComponent).join('/')}${search.size === 0 ? '' : `?${search}`}`
}

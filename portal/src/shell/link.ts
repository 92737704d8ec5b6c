type Query = Readonly<Record<string, string | readonly string[] | undefined>>

/** `linkTo(['ingests', 'a/b'], {code: 'x'})` is `#/ingests/a%2Fb?code=x`; what is empty is left out. */
export function linkTo(path: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) if (one !== '') search.append(name, one)
  }
  return `#/${path.map(encodeURIComponent).join('/')}${search.size === 0 ? '' : `?${search}`}`
}

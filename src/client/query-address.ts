// Queries as URLs, for tools that can only fetch one.
import { writeCommaLists } from '../lib/comma-list.ts'

/** The query string of a request, without a question mark. Omits null, undefined and empty lists. */
export function queryAddress(request: object): string {
  return Object.entries(request)
    .flatMap(([name, value]) => textsOf(value).map((text) => `${written(name)}=${written(text)}`))
    .join('&')
}

function textsOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? writeCommaLists(value.map(String)) : [String(value)]
}

/** Leaves commas, colons and slashes readable: they are literal in a query string. */
function written(text: string): string {
  return encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')
}

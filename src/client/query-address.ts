// A question as an address, for tools that can do nothing but fetch one.
import { writeCommaLists } from '../lib/comma-list.ts'

/** The query string of a request, without a question mark. What is null or left out is not in it; of empty lists neither is. */
export function queryAddress(request: object): string {
  return Object.entries(request)
    .flatMap(([name, value]) => textsOf(value).map((text) => `${written(name)}=${written(text)}`))
    .join('&')
}

function textsOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? writeCommaLists(value.map(String)) : [String(value)]
}

/** Commas, colons and slashes stay readable: in a query string they stand for themselves. */
function written(text: string): string {
  return encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')
}

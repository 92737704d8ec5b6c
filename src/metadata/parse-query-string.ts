// Reads a query string by itself: names with brackets and names that come several times mean something here, and an HTTP framework's
// own parser may fold either.
import { invalidRequest } from '../model/problem.ts'

export interface QueryParameter {
  readonly name: string
  readonly value: string
}

/** The parameters in their order. `+` is a space. Throws Problem `invalid_request` for an escape that is no UTF-8. */
export function queryParameters(query: string): readonly QueryParameter[] {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=')
      const name = equals < 0 ? part : part.slice(0, equals)
      return { name: decoded(name, part), value: equals < 0 ? '' : decoded(part.slice(equals + 1), part) }
    })
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidRequest(part.slice(0, 128), 'is not percent-encoded UTF-8')
  }
}

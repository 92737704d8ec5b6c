// Query strings, read by the service itself: names that come several times mean something, and an HTTP framework's parser may fold them, or
// pass over an escape that is none.
import { invalidRequest } from './problem.ts'

export interface QueryParameter {
  readonly name: string
  readonly value: string
}

/** What stands behind the question mark of a request's target. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?')
  return mark < 0 ? '' : target.slice(mark + 1)
}

/** The parameters in their order; `+` is a space. Throws Problem `invalid_request` for an escape that is no UTF-8. */
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
    throw invalidRequest(part.slice(0, 128), 'is not percent-encoded UTF-8. Write %25 for a % sign')
  }
}

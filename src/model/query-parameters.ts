// Parses query strings. The service does this itself because repeated names are meaningful here, and an HTTP framework's parser may merge
// them or ignore invalid escapes.
import { invalidRequest } from './problem.ts'

export interface QueryParameter {
  readonly name: string
  readonly value: string
}

/** The part of a request target after the question mark. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?')
  return mark < 0 ? '' : target.slice(mark + 1)
}

/** The parameters in order; `+` is a space. Throws Problem `invalid_request` for an escape that is not valid UTF-8. */
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

import { invalidRequest, type Problem } from '../../model/problem.ts'

/** The start of a piece of the query. Line and column count from 1; columns are in UTF-16 units. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** An error at one place of a query. */
export function sqlProblem(place: Place, message: string): Problem {
  return invalidRequest('sql_query', `${message} (line ${place.line}, column ${place.column})`)
}

const namesShown = 20

/** The existing names for a message, limited in number: `there is 'a'`. */
export function thereAre(names: readonly string[]): string {
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : ''
  const shown = names.slice(0, namesShown).map(quoted).join(', ')
  return `there ${names.length === 1 ? 'is' : 'are'} ${shown}${more}`
}

/** A name or text of the query as a message shows it: at most one line. */
export function quoted(text: string): string {
  return `'${text.length > 60 ? `${text.slice(0, 60)}...` : text}'`
}

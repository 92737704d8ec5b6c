import { invalidRequest, type Problem } from '../../model/problem.ts'

/** Where a piece of the query begins: line and column count from 1, in UTF-16 units. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A query that is at fault at one place. */
export function sqlProblem(place: Place, message: string): Problem {
  return invalidRequest('sql_query', `${message} (line ${place.line}, column ${place.column})`)
}

const namesShown = 20

/** The names that there are, for a message, and not too many of them: `there is 'a'`. */
export function thereAre(names: readonly string[]): string {
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : ''
  const shown = names.slice(0, namesShown).map(quoted).join(', ')
  return `there ${names.length === 1 ? 'is' : 'are'} ${shown}${more}`
}

/** What a name or a text of the query looks like in a message: never more than a line of it. */
export function quoted(text: string): string {
  return `'${text.length > 60 ? `${text.slice(0, 60)}...` : text}'`
}

// The patterns of TIME_FORMAT and TIME_PARSE (Joda-Time) as the engine's.
import { toLocal, type Zone } from './periods.ts'
import { type Place, quoted, sqlProblem } from './sql-problem.ts'
import { join, literal, type SqlText, sql } from './sql-text.ts'

interface Piece {
  /** A letter of the pattern and how often it stands there, or a text between quotes. */
  readonly letter: string | null
  readonly count: number
  readonly text: string
}

function piecesOf(pattern: string, place: Place): Piece[] {
  if (pattern.length > 200) throw sqlProblem(place, 'a pattern has 200 characters at most')
  const pieces: Piece[] = []
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at]!
    if (character === "'") {
      const [text, end] = quotedText(pattern, at, place)
      pieces.push({ letter: null, count: 0, text })
      at = end
    } else if (/[A-Za-z]/.test(character)) {
      let end = at
      while (pattern[end] === character) end += 1
      pieces.push({ letter: character, count: end - at, text: pattern.slice(at, end) })
      at = end
    } else {
      pieces.push({ letter: null, count: 0, text: character })
      at += 1
    }
  }
  return pieces
}

function quotedText(pattern: string, from: number, place: Place): [text: string, end: number] {
  if (pattern[from + 1] === "'") return ["'", from + 2]
  let text = ''
  for (let at = from + 1; at < pattern.length; at += 1) {
    if (pattern[at] !== "'") text += pattern[at]
    else if (pattern[at + 1] === "'") {
      text += "'"
      at += 1
    } else return [text, at + 1]
  }
  throw sqlProblem(place, `the quote in the pattern ${quoted(pattern)} is not closed`)
}

/** Letters that the engine's own format has: by one letter, and by two or more. */
const formats: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['y', ['%Y', '%y', '%Y']],
  ['Y', ['%Y', '%y', '%Y']],
  ['u', ['%Y', '%Y']],
  ['x', ['%G', '%G']],
  ['w', ['%-V', '%V']],
  ['e', ['%u', '%u']],
  ['M', ['%-m', '%m', '%b', '%B']],
  ['d', ['%-d', '%d']],
  ['D', ['%-j', '%-j', '%j']],
  ['E', ['%a', '%a', '%a', '%A']],
  ['a', ['%p']],
  ['H', ['%-H', '%H']],
  ['h', ['%-I', '%I']],
  ['m', ['%-M', '%M']],
  ['s', ['%-S', '%S']],
])

function formatOf({ letter, count, text }: Piece, pattern: string, place: Place): string {
  if (letter === null) return text.replaceAll('%', '%%')
  const forms = formats.get(letter)
  if (forms === undefined)
    throw sqlProblem(place, `${quoted(letter)} in the pattern ${quoted(pattern)} has no meaning here`)
  return forms[Math.min(count, forms.length) - 1]!
}

/** An instant written by a pattern, as the clocks of the zone show it. */
export function formatTime(at: SqlText, pattern: string, zone: Zone, place: Place): SqlText {
  const local = toLocal(at, zone)
  const parts: SqlText[] = []
  let format = ''
  const flush = (): void => {
    if (format !== '') parts.push(sql`strftime(${local}, ${literal(format)})`)
    format = ''
  }
  for (const piece of piecesOf(pattern, place)) {
    const special = specialPart(piece, at, local, zone)
    if (special === null) format += formatOf(piece, pattern, place)
    else {
      flush()
      parts.push(special)
    }
  }
  flush()
  return parts.length === 0 ? sql`''` : sql`(${join(parts, ' || ')})`
}

function specialPart({ letter, count }: Piece, at: SqlText, local: SqlText, zone: Zone): SqlText | null {
  if (letter === 'S') {
    const milliseconds = sql`strftime(${local}, '%g')`
    return count >= 3
      ? sql`rpad(${milliseconds}, ${literal(String(count))}::INTEGER, '0')`
      : sql`left(${milliseconds}, ${literal(String(count))}::INTEGER)`
  }
  if (letter === 'Z' && count >= 3) return literal(zone === null ? 'UTC' : 'name' in zone ? zone.name : '')
  if (letter === 'Z') return offsetText(at, local, count === 2)
  if (letter === 'z') return literal(zone === null ? 'UTC' : 'name' in zone ? zone.name : '')
  return null
}

function offsetText(at: SqlText, local: SqlText, withColon: boolean): SqlText {
  const minutes = sql`((epoch_ms(${local}) - epoch_ms(${at})) // 60000::BIGINT)`
  const form = literal(withColon ? '%s%02d:%02d' : '%s%02d%02d')
  return sql`printf(${form}, CASE WHEN ${minutes} < 0 THEN '-' ELSE '+' END, abs(${minutes}) // 60, abs(${minutes}) % 60)`
}

/** A pattern as the format that the engine reads texts by. */
export function readPattern(pattern: string, place: Place): SqlText {
  const format = piecesOf(pattern, place).map((piece) => {
    if (piece.letter === 'S') return '%g'
    if (piece.letter === 'Z') return '%z'
    return formatOf(piece, pattern, place).replace('%-', '%')
  })
  return literal(format.join(''))
}

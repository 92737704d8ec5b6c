import { Problem } from '../model/problem.ts'

/** What Druid says of a request that it refused or could not finish. */
export interface FailureFacts {
  readonly status: number
  /** Druid's older name of the kind of failure ("Query timeout"), or `druidException`. */
  readonly error: string
  readonly category: string
  /** The class of the exception, where Druid tells it. */
  readonly errorClass: string
  readonly message: string
}

/** What Druid throws, with the status of a failure of its own, of queries and operands that it cannot take and of plans that it trips over. */
const cannotRead =
  /\.jackson\.|IllegalArgumentException|\.(?:IAE|UOE)$|Expression\w*Exception|ClassCastException|UnsupportedOperationException|NullPointerException|ArithmeticException/
/** The same in the words of what was thrown, where the class is only that of what holds it, or none. */
const cannotReadWords =
  /\b(?:IAE|UOE|IllegalArgumentException|ClassCastException|UnsupportedOperationException): |^class \S+ cannot be cast|[Ii]llegal base64|for base64 bytes$|4-byte (?:ending )?unit$|enough valid bits$|Comparator$|[Cc]an only be called after query is reduced to a single|"timestampString" is null|^function '\w+' is not defined|(?:^|: )Invalid expression: |(?:^|Exception: )Function\[\w+\] |^while converting /
/** Faults that only show when a query runs. Java leaves out the words of what it throws again and again. */
const whileRunning =
  /is not supported for complex columns|more than one row|by zero|ArithmeticException|cannot translate|cannot cast|index out of range/i

/** What comes of servers and not of the query. */
const awayWords =
  /connect|channel|timed? ?out|timeout|interrupt|unavailable|refused|closed|shut|lost|missing segment|memory|^status|^$/i

/**
 * What comes of half a character beyond U+FFFF in a text. Servers refuse to write it, or write a byte too few, and the broker reads all that
 * follows wrongly. A server that goes away in the midst of its answer is told in other words.
 */
const halfCharacter = /\(SequenceInputStream\)|(?:Unmatched|Broken|Incomplete) .*surrogate pair/
const halfCharacterWords =
  'a text that it makes holds half of a character beyond U+FFFF. Druid counts such a character as two, and no text can hold one of them: cut the text at another place.'

/** An error answer of Druid. */
export class DruidFailure extends Error {
  override readonly name = 'DruidFailure'
  readonly facts: FailureFacts

  constructor(facts: FailureFacts) {
    super(`Druid answered ${facts.status}: ${facts.message}`)
    this.facts = facts
  }

  /** Whether what was asked is at fault, not Druid. */
  get isRefusal(): boolean {
    const { status, category, errorClass, message } = this.facts
    // Druid calls it defensive where its own code does not expect what the query led to: that it comes to again.
    if (['INVALID_INPUT', 'UNSUPPORTED', 'DEFENSIVE'].includes(category) || status === 400 || status === 501)
      return true
    if (cannotRead.test(errorClass) || cannotReadWords.test(message) || whileRunning.test(message)) return true
    // What is thrown while a query is planned or folded comes without a class; a server that is away says so.
    return category === 'UNCATEGORIZED' && errorClass === '' && !awayWords.test(message)
  }
}

/** Reads the body of an error answer, in either of the two forms that Druid has. */
export function readFailure(status: number, body: string): DruidFailure {
  const facts = { status, error: '', category: '', errorClass: '', message: body.slice(0, 500) || `status ${status}` }
  const members = objectIn(body)
  return failureOf({
    ...facts,
    error: textOf(members, 'error') ?? facts.error,
    category: textOf(members, 'category') ?? facts.category,
    errorClass: textOf(members, 'errorClass') ?? facts.errorClass,
    message: textOf(members, 'errorMessage') ?? textOf(members, 'error') ?? facts.message,
  })
}

/** A plan that Druid trips over has no message but this. */
const noWords = /^(?:null)?$/

function failureOf(facts: FailureFacts): DruidFailure {
  if (noWords.test(facts.message) && facts.errorClass !== '') {
    return new DruidFailure({ ...facts, message: `Druid fails at it with ${facts.errorClass}` })
  }
  return new DruidFailure(
    halfCharacter.test(facts.message) ? { ...facts, status: 400, message: halfCharacterWords } : facts,
  )
}

function objectIn(body: string): object {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function textOf(members: object, name: string): string | null {
  const value: unknown = Reflect.get(members, name)
  return typeof value === 'string' ? value : null
}

/** Druid cannot be reached, or went away in the middle of its answer. */
export function druidAway(cause: unknown): Problem {
  const detail = 'Druid, which keeps the series, does not answer. Try again.'
  return new Problem('unavailable', detail, { cause })
}

/** Something else answered in Druid's place. */
export function pageInstead(): Problem {
  const detail = 'Druid, which keeps the series, does not answer: a page came in place of its answer. Try again.'
  return new Problem('unavailable', detail)
}

/** What Druid says behind an answer that it could not finish: what it refuses may show only after the first rows. */
export function endedBy(why: string): Problem | DruidFailure {
  if (why === 'null') return failureOf({ ...unsaid, status: 400 })
  const failure = failureOf({ status: 200, error: '', category: '', errorClass: '', message: why })
  return failure.isRefusal ? failure : brokenOff(why)
}

/** Java leaves out the words of what it throws again and again: of a fault in each of many rows, never of a connection. */
const unsaid = {
  error: '',
  category: '',
  errorClass: '',
  message: 'Druid fails at it, and does not say why: a whole number may be divided by zero',
}

/** Druid ended its answer before it was whole. */
export function brokenOff(why: string): Problem {
  return new Problem('unavailable', `Druid broke its answer off (${why}). Try again.`)
}

/** What the caller of a query is told that Druid refused: it is asked for in another way, where Druid being away is waited for. */
export function asRefusal(error: DruidFailure, path: string | null): Problem {
  const message = `the query cannot be run: ${error.facts.message}`
  if (path === null)
    return new Problem('invalid_request', `Druid, which keeps the series, refuses: ${message}`, { cause: error })
  return new Problem('invalid_request', `${path}: ${message}`, { errors: [{ path, message }], cause: error })
}

/** A list or text of an aggregate that is past its bound: as it grows, or as it is written. */
const tooLong =
  /(?:^Exceeded memory usage when aggregating type .* is larger than max|Unable to serialize \[[^\]]*\], max size bytes is) \[(\d+)\]/

/** What the caller of a query is told of a failure: the limits and failures of Druid as Problems, anything else as it is. */
export function asProblem(error: unknown): unknown {
  if (!(error instanceof DruidFailure)) return error
  const { status, error: kind, message } = error.facts
  const cause = { cause: error }
  if (kind === 'Query timeout' || status === 504) {
    const detail =
      'Druid ended the query at its time limit. Ask for a shorter range, fewer tags (ids, prefixes) or fewer metrics.'
    return new Problem('query_timeout', detail, cause)
  }
  if (kind === 'Query capacity exceeded' || status === 429) {
    return new Problem('overloaded', 'Druid runs as many queries as it may. Try again.', cause)
  }
  if (kind === 'Resource limit exceeded') {
    const detail = `The query needs more than Druid is set to give it (${message}). Ask for a shorter range, fewer tags (ids, prefixes), or a coarser granularity.`
    return new Problem('result_too_large', detail, cause)
  }
  const list = tooLong.exec(message)
  if (list !== null) {
    const detail = `A text or list of STRING_AGG, LISTAGG or ARRAY_AGG takes more than ${list[1]} bytes: give a larger bound as the last operand, or ask for fewer rows.`
    return new Problem('result_too_large', detail, cause)
  }
  if (status === 401 || status === 403) {
    return new Problem(
      'unavailable',
      'Druid does not take the credentials. Check druid.user and druid.password.',
      cause,
    )
  }
  // A server of Druid that went away in the middle of a query comes as an exception of no kind.
  return error.isRefusal ? error : new Problem('unavailable', 'A part of Druid failed. Try again.', cause)
}

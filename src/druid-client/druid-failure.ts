import { Problem } from '../model/problem.ts'

/** Druid's description of a request that it refused or could not finish. */
export interface FailureFacts {
  readonly status: number
  /** Druid's older name of the kind of failure ("Query timeout"), or `druidException`. */
  readonly error: string
  readonly category: string
  /** The class of the exception, if Druid reports it. */
  readonly errorClass: string
  readonly message: string
}

/** Exceptions of Druid, with the status of an internal failure, for queries and operands that it cannot handle and for plans that it fails on. */
const cannotRead =
  /\.jackson\.|IllegalArgumentException|\.(?:IAE|UOE)$|Expression\w*Exception|ClassCastException|UnsupportedOperationException|NullPointerException|ArithmeticException/
/** The same by message, where the class is that of a wrapper, or is absent. */
const cannotReadWords =
  /\b(?:IAE|UOE|IllegalArgumentException|ClassCastException|UnsupportedOperationException): |^class \S+ cannot be cast|[Ii]llegal base64|for base64 bytes$|4-byte (?:ending )?unit$|enough valid bits$|Comparator$|[Cc]an only be called after query is reduced to a single|"timestampString" is null|^function '\w+' is not defined|(?:^|: )Invalid expression: |(?:^|Exception: )Function\[\w+\] |^while converting /
/** Faults that only appear when a query runs. Java omits the messages of exceptions that it throws repeatedly. */
const whileRunning =
  /is not supported for complex columns|more than one row|by zero|ArithmeticException|cannot translate|cannot cast|index out of range/i

/** Failures caused by servers and not by the query. */
const unavailableWords =
  /connect|channel|timed? ?out|timeout|interrupt|unavailable|refused|closed|shut|lost|missing segment|memory|^status|^$/i

/**
 * Failures caused by half of a character beyond U+FFFF in a string. Servers refuse to write it, or write a byte too few, and the broker misreads everything
 * after it. A server that goes down in the middle of its response is reported in other words.
 */
const halfCharacter = /\(SequenceInputStream\)|(?:Unmatched|Broken|Incomplete) .*surrogate pair/
const halfCharacterWords =
  'a string that it creates contains half of a character beyond U+FFFF. Druid counts such a character as two, and a string cannot contain only one of them: cut the string at another position.'

/** An error response of Druid. */
export class DruidFailure extends Error {
  override readonly name = 'DruidFailure'
  readonly facts: FailureFacts

  constructor(facts: FailureFacts) {
    super(`Druid answered ${facts.status}: ${facts.message}`)
    this.facts = facts
  }

  /** Whether the request is at fault, not Druid. */
  get isRefusal(): boolean {
    const { status, category, errorClass, message } = this.facts
    // Druid reports DEFENSIVE where its own code does not expect the result of the query; a retry would fail in the same way.
    if (['INVALID_INPUT', 'UNSUPPORTED', 'DEFENSIVE'].includes(category) || status === 400 || status === 501)
      return true
    if (cannotRead.test(errorClass) || cannotReadWords.test(message) || whileRunning.test(message)) return true
    // An exception during planning or constant folding has no class; a server that is unavailable says so.
    return category === 'UNCATEGORIZED' && errorClass === '' && !unavailableWords.test(message)
  }
}

/** Parses the body of an error response, in either of Druid's two formats. */
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

/** The only message of a plan that Druid fails on. */
const noWords = /^(?:null)?$/

function failureOf(facts: FailureFacts): DruidFailure {
  if (noWords.test(facts.message) && facts.errorClass !== '') {
    return new DruidFailure({ ...facts, message: `Druid fails with ${facts.errorClass}` })
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

/** Druid cannot be reached, or went down in the middle of its response. */
export function druidUnavailable(cause: unknown): Problem {
  const detail = 'Druid, which stores the series, does not answer. Retry in a moment.'
  return new Problem('unavailable', detail, { cause })
}

/** Something else responded in Druid's place. */
export function pageInstead(): Problem {
  const detail = 'Druid, which stores the series, does not answer: a web page was returned instead. Retry in a moment.'
  return new Problem('unavailable', detail)
}

/** The error that Druid reports after a response that it could not finish: a refusal may only appear after the first rows. */
export function endedBy(why: string): Problem | DruidFailure {
  if (why === 'null') return failureOf({ ...unsaid, status: 400 })
  const failure = failureOf({ status: 200, error: '', category: '', errorClass: '', message: why })
  return failure.isRefusal ? failure : brokenOff(why)
}

/** Java omits the message of an exception that it throws repeatedly. That happens with a fault in each of many rows, never with a connection. */
const unsaid = {
  error: '',
  category: '',
  errorClass: '',
  message: 'Druid fails without giving a reason: a whole number may be divided by zero',
}

/** Druid ended its response before it was complete. */
export function brokenOff(why: string): Problem {
  return new Problem('unavailable', `The answer of Druid is incomplete (${why}). Retry in a moment.`)
}

/** The error for the caller of a query that Druid refused. The query must be changed, whereas it can be retried when Druid is unavailable. */
export function asRefusal(error: DruidFailure, path: string | null): Problem {
  const message = `the query cannot be run: ${error.facts.message}`
  if (path === null)
    return new Problem('invalid_request', `Druid, which stores the series, rejects it: ${message}`, { cause: error })
  return new Problem('invalid_request', `${path}: ${message}`, { errors: [{ path, message }], cause: error })
}

/** A list or string of an aggregate that exceeds its limit, as it grows or as it is written. */
const tooLong =
  /(?:^Exceeded memory usage when aggregating type .* is larger than max|Unable to serialize \[[^\]]*\], max size bytes is) \[(\d+)\]/

/** The error for the caller of a query: Druid's limits and failures as Problems, anything else unchanged. */
export function asProblem(error: unknown): unknown {
  if (!(error instanceof DruidFailure)) return error
  const { status, error: kind, message } = error.facts
  const cause = { cause: error }
  if (kind === 'Query timeout' || status === 504) {
    const detail =
      'Druid ended the query at its time limit. Narrow the query: a shorter range, fewer tags (ids, prefixes) or fewer metrics.'
    return new Problem('query_timeout', detail, cause)
  }
  if (kind === 'Query capacity exceeded' || status === 429) {
    return new Problem('overloaded', 'Druid is running as many queries as it can. Retry in a moment.', cause)
  }
  if (kind === 'Resource limit exceeded') {
    const detail = `The query needs more resources than the settings of Druid allow (${message}). Narrow the query: a shorter range, fewer tags (ids, prefixes), or a coarser granularity.`
    return new Problem('result_too_large', detail, cause)
  }
  const list = tooLong.exec(message)
  if (list !== null) {
    const detail = `A string or list of STRING_AGG, LISTAGG or ARRAY_AGG takes more than ${list[1]} bytes: pass a larger limit as the last operand, or select fewer rows.`
    return new Problem('result_too_large', detail, cause)
  }
  if (status === 401 || status === 403) {
    return new Problem('unavailable', 'Druid rejects the credentials. Check druid.user and druid.password.', cause)
  }
  // A Druid server that goes down during a query is reported as an exception of no particular kind.
  return error.isRefusal ? error : new Problem('unavailable', 'A part of Druid failed. Try again.', cause)
}

// What the engine says when a checked query fails while it runs, in the caller's words.
import { Problem } from '../../model/problem.ts'
import { LongOverflow, OutOfMemory } from '../sql-engine.ts'
import { isRoomError } from './text-room.ts'

interface Known {
  readonly form: RegExp
  readonly told: (message: string) => string
}

const known: readonly Known[] = [
  {
    form: /a whole number is divided by zero[^\n]*|a text could become longer than[^\n]*|a text of more than \d+ characters[^\n]*|a width is written in digits|a LIKE with %[^\n]*/,
    told: (message) => message,
  },
  {
    form: /More than one row returned by a subquery/,
    told: () => 'a query that stands for a value gave more than one row: aggregate it, or add LIMIT 1',
  },
  {
    form: /invalid perl operator|missing \)|missing \]|no argument for repetition|invalid escape|bad repetition|invalid character class|pattern too large|unexpected \)|invalid named capture|trailing \\/i,
    told: () => 'a regular expression is not one that is understood here: looking around and references back are not',
  },
  {
    form: /FULL OUTER JOIN|full outer/i,
    told: () => 'a FULL JOIN needs a condition that compares columns of both sides by =',
  },
  {
    form: /Conversion Error|Could not convert|Invalid Input Error/,
    told: () => 'a value cannot be turned into the type that is asked for',
  },
  { form: /out of range|Out of Range/, told: () => 'a number or a time is beyond its range' },
]

/** The error to throw for one of the engine's that ran over the files of these paths. What is no query's fault stays an Error. */
export function engineError(error: unknown, paths: readonly string[]): Error {
  const failure = error instanceof Error ? error : new Error(String(error))
  const { message } = failure
  if (isMemoryError(message)) return outOfMemory(message)
  if (/^(?:INTERNAL|FATAL|IO) Error/.test(message)) return failure
  // Whoever asks knows no file's name: what speaks of one is about the file, which is damaged or gone.
  if (paths.some((path) => message.includes(path))) return failure
  if (/^Out of Range Error: Overflow in/.test(message)) return new LongOverflow()
  for (const { form, told } of known) {
    const found = form.exec(message)
    if (found !== null) return atFault(told(found[0]))
  }
  if (/^(?:Binder|Catalog|Parser|Not implemented|Constraint|Invalid Type|Mismatch Type) Error/.test(message)) {
    return atFault('this form of query is not answered here: write it in another way')
  }
  return failure
}

/** As it came, unless memory did not suffice. */
export function memoryError(error: unknown): unknown {
  return error instanceof Error && isMemoryError(error.message) ? outOfMemory(error.message) : error
}

function isMemoryError(message: string): boolean {
  return (
    isRoomError(message) ||
    /^Out of Memory Error|bad_alloc/.test(message) ||
    /max_temp_directory_size|No space left/.test(message)
  )
}

/** The engine's own bound is told apart from the system's. */
function outOfMemory(message: string): OutOfMemory {
  return new OutOfMemory(/bad.alloc|Allocation failure/i.test(message))
}

function atFault(message: string): Problem {
  return new Problem('invalid_request', `sql_query: ${message}`, { errors: [{ path: 'sql_query', message }] })
}

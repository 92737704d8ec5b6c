// Translates the engine's errors for checked queries that fail while running. The engine's messages never reach a caller: they refer to SQL that
// the caller has never seen, and may contain values of rows. An unknown error is refused in general words and is logged.
import { dirname } from 'node:path'
import { Problem } from '../../model/problem.ts'
import { DamagedRows, EngineRefusal, LongOverflow, OutOfMemory, ownMessagePrefix } from '../sql-engine.ts'
import { isStringMemoryError } from './string-memory.ts'

interface Known {
  readonly form: RegExp
  readonly message: string
}

const known: readonly Known[] = [
  {
    form: /More than one row returned by a subquery/,
    message: 'a query used as a value returned more than one row: aggregate it, or add LIMIT 1',
  },
  {
    form: /invalid perl operator|missing \)|missing \]|no argument for repetition|invalid escape|bad repetition|invalid character class|pattern too large|unexpected \)|invalid named capture|trailing \\|invalid UTF-8|invalid repetition size/i,
    message: 'a regular expression is not supported here: for example, look-around and back-references are not',
  },
  {
    form: /FULL OUTER JOIN|full outer/i,
    message: 'a FULL JOIN needs a condition that compares columns of both sides by =',
  },
  {
    form: /Separator argument to StringAgg must be a constant/,
    message: 'the separator of array elements must be a string in single quotes',
  },
  { form: /non-inner join on subquery/, message: 'the condition of a LEFT, RIGHT or FULL JOIN cannot contain a query' },
  { form: /Malformed JSON/, message: 'a string is not JSON' },
  { form: /JSON path error/, message: 'a JSON path is not supported here' },
  { form: /JSON key cannot be NULL/, message: 'a key of a JSON object is null' },
  {
    form: /Invalid type specifier|for formatting a value|format string|Argument index/i,
    message: 'the format of STRING_FORMAT does not match its values',
  },
  { form: /out of range|overflow/i, message: 'a number or a time is beyond its range' },
  { form: /^Conversion Error|Could not convert/, message: 'a value cannot be converted to the requested type' },
]

const unknownForm = 'this form of query is not supported here: write it in another way'

/** A message that our own SQL raises with `error()`. */
const own = new RegExp(`${ownMessagePrefix}([^\\n]*)`)

/**
 * The error to throw for an error of the engine: LongOverflow; EngineRefusal for a fault of the query, or for more than the engine can do; Problem
 * `result_too_large` if memory did not suffice; DamagedRows if a file of these paths cannot be read. Other errors, such as one that leaves the
 * engine broken, are returned unchanged: they are not the fault of the query.
 */
export function engineError(error: unknown, paths: readonly string[]): Error {
  if (error instanceof Problem) return error
  const failure = error instanceof Error ? error : new Error(String(error))
  const { message } = failure
  if (isMemoryError(message)) return outOfMemory(message)
  if (/^FATAL Error/.test(message)) return failure
  // Callers do not know file names: a message with one is about the file, which is damaged or missing.
  const named = paths.filter((path) => message.includes(path))
  if (named.length > 0 || (paths.length > 0 && (unreadable.test(message) || pointsAtFiles(message))))
    return damagedRows(named, paths, message)
  if (/^IO Error/.test(message)) return failure
  if (/^Out of Range Error: Overflow (?:in|on)/.test(message)) return new LongOverflow()
  const said = own.exec(message)?.[1] ?? known.find(({ form }) => form.test(message))?.message
  return said === undefined ? new EngineRefusal(unknownForm, failure) : new EngineRefusal(said)
}

/** The engine's messages about files that are not as they were written. They follow the kind of error, where strings of a query never occur. */
const unreadable =
  /^(?:\w+ )+Error: (?:TProtocolException|don't know what type|Failed to read (?:Parquet )?file|Parquet |No magic bytes|No files found|Cannot open file|Could not read|File '[^']*' too small|Invalid footer|Out of buffer|Page size mismatch|Mismatch in parquet|DELTA_|Failed to decompress|Invalid decimal encoding in Parquet|Invalid string encoding found in Parquet|Malformed Parquet|This page does not have a dictionary|Dictionary (?:is corrupted|mismatch)|Destination buffer is too small)/

/** Whether the engine's pointer, in the line below the statement, marks the list of files. */
function pointsAtFiles(message: string): boolean {
  const lines = message.split('\n')
  const pointer = lines.findIndex((line) => /^ *\^ *$/.test(line))
  return pointer > 0 && lines[pointer - 1]!.startsWith('read_parquet(', lines[pointer]!.indexOf('^'))
}

/** Leaves out the statement that the engine's message includes, which is not useful in the log. */
function damagedRows(named: readonly string[], paths: readonly string[], message: string): DamagedRows {
  const [words = ''] = message.split('\n')
  const [path, ...others] = named.length > 0 ? named : paths
  return new DamagedRows(others.length === 0 ? path! : dirname(path!), `the SQL engine cannot read it: ${words}`)
}

function isMemoryError(message: string): boolean {
  return (
    isStringMemoryError(message) ||
    /^Out of Memory Error|bad_alloc/.test(message) ||
    /max_temp_directory_size|No space left/.test(message)
  )
}

/** Distinguishes the engine's own limit from the system's. */
function outOfMemory(message: string): OutOfMemory {
  return new OutOfMemory(/bad.alloc|Allocation failure/i.test(message))
}

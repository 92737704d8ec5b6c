import { Problem } from './problem.ts'

/** The error for callers, who may be untrusted: the file's name appears only in the log. */
export function damagedData(): Problem {
  return new Problem(
    'damaged_data',
    'Some of the stored rows that the answer needs are damaged or cannot be read; queries that do not need them are answered. ' +
      'The log has the name of the file; "tidemark verify" shows whether there are others.',
  )
}

import { Problem } from './problem.ts'

/** The error for callers, who may be untrusted: the file's name appears only in the log. */
export function damagedData(): Problem {
  return new Problem(
    'damaged_data',
    'Some of the stored rows that the answer needs are damaged, or cannot be read; what does not need them is answered. ' +
      'The operator finds the name of the file in the log; "tidemark verify" says whether there are others.',
  )
}

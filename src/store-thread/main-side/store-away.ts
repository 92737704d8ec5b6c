import { Problem } from '../../model/problem.ts'

/** For who asks while there is no thread. */
export function storeAway(): Problem {
  return new Problem(
    'unavailable',
    'The store is being started again; pushes are taken meanwhile. Ask again in a moment.',
  )
}

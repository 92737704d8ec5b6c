// Limits how large the arrays of expressions could become in Druid, before the query is sent. Druid itself limits neither their length nor the
// texts folded from them, and a Druid process that builds gigabytes of one dies.
import { invalidRequest } from '../../model/problem.ts'
import { type Expression, partsOf } from '../expression/syntax.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { NativeQuery } from '../parse/native-query-types.ts'
import { expressionsOf, queriesWithin } from './queries-within.ts'

type Call = Expression & { readonly kind: 'call' }

/** The same limit as on one machine. */
const lengthMax = 10_000
/** Assumed length of arrays whose length is only known when the query runs. */
const unknownLength = 100
/** Maximum number of elements that nested lambdas visit for one value. */
const stepsMax = 1_000_000

/** Throws Problem `invalid_request` for arrays that are too long, and `unsupported_native_query` if the length cannot be determined. */
export function checkArraySizes(query: NativeQuery): void {
  for (const one of queriesWithin(query))
    for (const { expression, path } of expressionsOf(one)) check(expression, path, 1)
}

/** `steps` is the number of steps of the enclosing lambdas. */
function check(part: Expression, path: string, steps: number): void {
  for (const inner of partsOf(part)) if (inner.kind !== 'lambda') check(inner, path, steps)
  if (part.kind !== 'call') return
  const name = part.name.toLowerCase()
  if (name === 'array_slice' && part.args.length > 2) checkSlice(part, path)
  const [lambda, ...args] = part.args
  if (lambda?.kind !== 'lambda') return
  const arrays = name.endsWith('fold') ? args.slice(0, -1) : args
  const combinations = arrays.reduce((product, array) => product * lengthOf(array), 1)
  if (name.startsWith('cartesian_') && combinations > lengthMax) throw tooMany(path, `${name} of too many elements`)
  if (steps * combinations > stepsMax) throw tooMany(path, 'nested lambdas over too many elements', stepsMax)
  if (name.endsWith('fold')) checkGrowth(lambda, path)
  check(lambda.body, path, steps * combinations)
}

function checkSlice({ args }: Call, path: string): void {
  const [, start, end] = args
  const [from, until] = [start, end].map((bound) => (bound?.kind === 'null' ? 0 : literalOf(bound)))
  if (from === null || until === null)
    throw unsupported(path, 'array_slice with a start or end that is not a constant, on a cluster,')
  if (until! - from! > lengthMax) throw tooMany(path, 'array_slice of too many elements')
}

function literalOf(part: Expression | undefined): number | null {
  if (part?.kind === 'unary' && part.operator === '-') {
    const value = literalOf(part.operand)
    return value === null ? null : -value
  }
  return part?.kind === 'long' || part?.kind === 'double' ? Number(part.value) : null
}

function lengthOf(part: Expression): number {
  if (part.kind === 'array') return Math.max(1, part.items.length)
  if (part.kind === 'call' && part.name.toLowerCase() === 'array') return Math.max(1, part.args.length)
  return unknownLength
}

/** Functions whose result contains all of their arguments. */
const together = new Set([
  'concat',
  'format',
  'array',
  'array_append',
  'array_concat',
  'array_prepend',
  'array_set_add',
  'array_set_add_all',
  'json_object',
  'replace',
  'regexp_replace',
  'lpad',
  'rpad',
])

/** A fold's result may contain the accumulator once; twice, it would double with each element. */
function checkGrowth({ parameters, body }: Expression & { readonly kind: 'lambda' }, path: string): void {
  const accumulator = parameters.at(-1)
  if (accumulator === undefined || copiesOf(accumulator, body) <= 1) return
  throw unsupported(path, `a fold in which "${accumulator}" is combined with itself, on a cluster,`)
}

/** How many copies of a value the result of an expression contains. */
function copiesOf(name: string, part: Expression): number {
  switch (part.kind) {
    case 'name':
      return part.name === name ? 1 : 0
    case 'binary':
      return part.operator === '+' ? copiesOf(name, part.left) + copiesOf(name, part.right) : 0
    case 'lambda':
      // One copy for each element of the arrays.
      return part.parameters.includes(name) || copiesOf(name, part.body) === 0 ? 0 : Number.POSITIVE_INFINITY
    case 'call': {
      const copies = part.args.map((arg) => copiesOf(name, arg))
      if (part.name.toLowerCase() === 'repeat') return copies[0]! === 0 ? 0 : Number.POSITIVE_INFINITY
      return together.has(part.name.toLowerCase())
        ? copies.reduce((sum, count) => sum + count, 0)
        : Math.max(0, ...copies)
    }
    default:
      return 0
  }
}

function tooMany(path: string, what: string, max = lengthMax): Error {
  return invalidRequest(path, `${what}: at most ${max} are allowed`)
}

// Limits what a query could make Druid write or match, before it is sent: a text of gigabytes kills the Druid process that writes it.

import { PatternCheck, slowPattern } from '../../druid-patterns/backtracking.ts'
import { repetitionsOf } from '../../druid-patterns/repetitions.ts'
import { invalidRequest, type Problem } from '../../model/problem.ts'
import type { Expression } from '../expression/syntax.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { NativeQuery } from '../parse/native-query-types.ts'
import type { VirtualColumn } from '../parse/query-nodes.ts'
import { expressionsOf, nodesIn, queriesWithin } from './queries-within.ts'

/** The same limit as on one machine. */
const writtenMax = 1_000_000
/** Assumed length of values whose length is only known when the query runs. */
const valueLength = 100
/** Limit for the product of nested counted repetitions, the same as in RE2. */
const repetitionsMax = 1000

/** Throws Problem `invalid_request` for texts and patterns that are too large, and `unsupported_native_query` if the size cannot be determined. */
export function checkWrittenSizes(query: NativeQuery): void {
  const queries = [...queriesWithin(query)]
  const patterns = new PatternCheck()
  const lengths = new Lengths(
    queries.flatMap(({ virtualColumns }) => virtualColumns),
    patterns,
  )
  for (const one of queries) {
    for (const { expression, path } of expressionsOf(one)) lengths.of(expression, path)
    const { dataSource: _, virtualColumns: __, ...own } = one
    for (const node of nodesIn(own)) {
      if ('kind' in node && node.kind === 'like') continue
      if ('pattern' in node && typeof node.pattern === 'string') checkPattern(node.pattern, '', patterns)
      if ('kind' in node && node.kind === 'stringFormat' && 'format' in node) checkFormat(String(node.format), '')
    }
  }
}

/** Computes the maximum length of the texts that expressions write. Throws if one is too long. */
class Lengths {
  readonly #columns: ReadonlyMap<string, VirtualColumn>
  readonly #known = new Map<string, number>()
  readonly #patterns: PatternCheck

  constructor(columns: readonly VirtualColumn[], patterns: PatternCheck) {
    this.#patterns = patterns
    this.#columns = new Map(columns.map((column) => [column.name, column]))
  }

  of(part: Expression, path: string): number {
    const length = this.#lengthOf(part, path)
    if (length > writtenMax) throw tooLong(path)
    return length
  }

  #lengthOf(part: Expression, path: string): number {
    switch (part.kind) {
      case 'text':
        return part.value.length
      case 'name':
        return this.#ofColumn(part.name)
      case 'call':
        return this.#ofCall(part, path)
      case 'unary':
        return this.of(part.operand, path)
      case 'binary': {
        const lengths = [this.of(part.left, path), this.of(part.right, path)]
        // The sum of texts is their concatenation.
        return part.operator === '+' ? sumOf(lengths) : valueLength
      }
      case 'array':
        return sumOf(part.items.map((item) => this.of(item, path)))
      case 'lambda':
        return this.of(part.body, path)
      default:
        return valueLength
    }
  }

  #ofColumn(name: string): number {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const column = this.#columns.get(name)
    this.#known.set(name, valueLength)
    const length = column === undefined ? valueLength : this.of(column.expression, column.path)
    this.#known.set(name, length)
    return length
  }

  #ofCall({ name: written, args }: Expression & { readonly kind: 'call' }, path: string): number {
    const name = written.toLowerCase()
    const [first, second] = args
    const lengths = args.map((arg) => this.of(arg, path))
    if (patternFunctions.has(name) && second?.kind === 'text') checkPattern(second.value, path, this.#patterns)
    if (name === 'format' && first?.kind === 'text') checkFormat(first.value, path)
    if (name === 'repeat') return (lengths[0] ?? 0) * countOf(second, name, path)
    if (name === 'lpad' || name === 'rpad') return countOf(second, name, path)
    // Each character may be replaced.
    if (name === 'replace' || name === 'regexp_replace') return (lengths[0] ?? 0) * Math.max(1, lengthOfText(args[2]))
    return sumOf(lengths)
  }
}

/** Functions whose second argument is a pattern. */
const patternFunctions = new Set(['regexp_extract', 'regexp_like', 'regexp_replace', 'string_to_array'])

function lengthOfText(part: Expression | undefined): number {
  return part?.kind === 'text' ? part.value.length : 1
}

function sumOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0)
}

function countOf(count: Expression | undefined, name: string, path: string): number {
  if (count?.kind === 'long' || count?.kind === 'double') return Number(count.value)
  if (count?.kind === 'null' || (count?.kind === 'unary' && count.operator === '-')) return 0
  throw unsupported(path, `${name} with a count that is not a constant, on a cluster,`)
}

const formatWidth = /%(?:\d+\$)?[-#+ 0,(]*(\d+)?(?:\.(\d+))?/g

function checkFormat(format: string, path: string): void {
  for (const [, width, precision] of format.matchAll(formatWidth)) {
    if (Number(width ?? 0) > writtenMax || Number(precision ?? 0) > writtenMax) throw tooLong(path)
  }
}

function checkPattern(pattern: string, path: string, check: PatternCheck): void {
  if (repetitionsOf(pattern) > repetitionsMax) {
    const message = `the pattern repeats a part more than ${repetitionsMax} times, with nested counts multiplied`
    throw invalidRequest(path, message)
  }
  const why = check.slowness(pattern)
  if (why !== null) throw invalidRequest(path, slowPattern(why))
}

function tooLong(path: string): Problem {
  return invalidRequest(path, `a string of more than ${writtenMax} characters would be created`)
}

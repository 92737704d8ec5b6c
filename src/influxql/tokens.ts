// The tokens of InfluxQL.
import { Problem } from '../model/problem.ts'

export interface Token {
  readonly kind: 'name' | 'quoted' | 'text' | 'number' | 'duration' | 'pattern' | 'symbol' | 'end'
  /** Without the quotes of names and texts, and without the slashes of patterns. */
  readonly text: string
  readonly at: number
}

/** The value of a parameter `$name`. */
export type BoundValue = Pick<Token, 'kind' | 'text'>

const blank = /(?:\s|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)+/y
const forms: readonly (readonly [Token['kind'], RegExp])[] = [
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['quoted', /"(?:[^"\\\n]|\\.)*"/y],
  ['text', /'(?:[^'\\\n]|\\.)*'/y],
  ['duration', /(?:\d+(?:ns|us|ms|[uµsmhdw]))+(?![A-Za-z0-9_])/y],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['symbol', /=~|!~|!=|<>|<=|>=|::|[=<>+\-*/%(),;.&|^]/y],
]
const pattern = /\/(?:[^/\\\n]|\\.)*\//y
const parameter = /\$(?:([A-Za-z_][A-Za-z0-9_]*)|"((?:[^"\\\n]|\\.)*)")/y

/** After these a slash starts a regular expression; elsewhere it divides. */
const beforePattern = new Set(['=~', '!~', '(', ',', '.', 'from', 'select', 'by'])

export const queryCharactersMax = 64 * 1024

/** Throws Problem `invalid_request` with the position. */
export function tokensOf(text: string, values: ReadonlyMap<string, BoundValue>): readonly Token[] {
  if (text.length > queryCharactersMax)
    throw new Problem('invalid_request', `The query has more than ${queryCharactersMax} characters. Split it.`)
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    // Checked first: every search for a missing end would scan all remaining text.
    if (text.startsWith('/*', at) && !text.includes('*/', at + 2))
      throw syntaxProblem(text, at, 'a comment begins that has no end')
    const skipped = matchAt(blank, text, at)
    if (skipped !== null) {
      at += skipped[0].length
      continue
    }
    const [token, length] = tokenAt(text, at, tokens.at(-1), values)
    tokens.push(token)
    at += length
  }
  return [...tokens, { kind: 'end', text: 'EOF', at: text.length }]
}

function tokenAt(
  text: string,
  at: number,
  before: Token | undefined,
  values: ReadonlyMap<string, BoundValue>,
): readonly [Token, number] {
  const bound = matchAt(parameter, text, at)
  if (bound !== null) {
    const value = values.get(bound[1] ?? bound[2]!)
    if (value === undefined) throw syntaxProblem(text, at, `missing parameter: ${bound[1] ?? bound[2]!}`)
    return [{ ...value, at }, bound[0].length]
  }
  const mayBePattern = before !== undefined && before.kind !== 'quoted' && beforePattern.has(before.text.toLowerCase())
  const regex = mayBePattern ? matchAt(pattern, text, at) : null
  if (regex !== null)
    return [{ kind: 'pattern', text: regex[0].slice(1, -1).replaceAll('\\/', '/'), at }, regex[0].length]
  for (const [kind, form] of forms) {
    const found = matchAt(form, text, at)?.[0]
    if (found === undefined) continue
    const isQuoted = kind === 'quoted' || kind === 'text'
    const inner = isQuoted
      ? found.slice(1, -1).replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one))
      : found
    return [{ kind, text: inner, at }, found.length]
  }
  throw syntaxProblem(text, at, `found ${JSON.stringify(text[at])}, which is not allowed here`)
}

function matchAt(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at
  return form.exec(text)
}

const unitsNs: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['u', 1000n],
  ['µ', 1000n],
  ['us', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n],
  ['w', 604_800_000_000_000n],
])

/** `1h30m` in nanoseconds. */
export function durationNs(text: string): bigint {
  let ns = 0n
  for (const [, count, unit] of text.matchAll(/(\d+)(\D+)/g)) ns += BigInt(count!) * unitsNs.get(unit!)!
  return ns
}

/** A syntax error in InfluxDB's wording. */
export function syntaxProblem(text: string, at: number, what: string): Problem {
  const before = text.slice(0, at).split('\n')
  const place = `line ${before.length}, char ${before.at(-1)!.length + 1}`
  return new Problem('invalid_request', `error parsing query: ${what} at ${place}`)
}

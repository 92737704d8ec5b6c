// Generates random texts from a grammar, as trees, so that a text can be shrunk and the rules it uses can be counted.
//
// A rule is a text with slots. A rule of the kind fills `<kind>` and `<kind=k>`; `<@k>` in the same rule repeats the text of `<kind=k>`.
// `<kind:a0>` replaces each `§` in the inserted text by `a0`; `<kind!>` is escaped as part of a JSON string. `(?...?)` is optional.
import type { Random } from '../support/random.ts'

export type Grammar = Readonly<Record<string, readonly string[]>>

/** A rule with its slots filled. */
export interface Piece {
  readonly kind: string
  readonly rule: string
  readonly parts: readonly Part[]
}

type Part =
  | string
  | { readonly again: string }
  | { readonly piece: Piece; readonly named: string | null; readonly label: string | null; readonly inJson: boolean }

interface Slot {
  readonly kind: string
  readonly named: string | null
  readonly label: string | null
  readonly inJson: boolean
}

type Token = string | { readonly again: string } | { readonly slot: Slot } | { readonly optional: readonly Token[] }

const marks = /<@(\w+)>|<([a-z]\w*)(?:=(\w+))?(?::([\w§]+))?(!)?>|\(\?|\?\)/g
const tokensOf = new Map<string, readonly Token[]>()

function tokens(rule: string): readonly Token[] {
  const known = tokensOf.get(rule)
  if (known !== undefined) return known
  const stack: Token[][] = [[]]
  let at = 0
  for (const match of rule.matchAll(marks)) {
    const text = rule.slice(at, match.index)
    if (text !== '') stack.at(-1)!.push(text)
    at = match.index + match[0].length
    const [whole, again, kind, named = null, label = null, json] = match
    if (whole === '(?') stack.push([])
    else if (whole === '?)') {
      const optional = stack.pop()!
      stack.at(-1)!.push({ optional })
    } else if (again !== undefined) stack.at(-1)!.push({ again })
    else stack.at(-1)!.push({ slot: { kind: kind!, named, label, inJson: json !== undefined } })
  }
  if (at < rule.length) stack.at(-1)!.push(rule.slice(at))
  tokensOf.set(rule, stack[0]!)
  return stack[0]!
}

const kindsIn = (all: readonly Token[]): readonly string[] =>
  all.flatMap((token) => {
    if (typeof token === 'string' || 'again' in token) return []
    return 'slot' in token ? [token.slot.kind] : []
  })

/** Whether the rules of a kind are plain words, such as the names of columns. */
const isOfWords = (grammar: Grammar, kind: string): boolean =>
  grammar[kind]?.every((rule) => kindsIn(tokens(rule)).length === 0) ?? false

/** The minimum nesting depth of each rule and kind. Kinds of plain words count as 0, so a column is as simple as a constant. */
function leastDepths(grammar: Grammar): { readonly rules: Map<string, number>; readonly kinds: Map<string, number> } {
  const rules = new Map<string, number>()
  const kinds = new Map<string, number>()
  for (let changed = true; changed; ) {
    changed = false
    for (const [kind, all] of Object.entries(grammar)) {
      for (const rule of all) {
        const within = kindsIn(tokens(rule)).map((one) => {
          if (!(one in grammar)) throw new Error(`no rules of the kind ${one}, in: ${rule}`)
          return isOfWords(grammar, one) ? 0 : (kinds.get(one) ?? Number.POSITIVE_INFINITY)
        })
        const depth = 1 + Math.max(0, ...within)
        if (depth < (rules.get(rule) ?? Number.POSITIVE_INFINITY)) {
          rules.set(rule, depth)
          changed = true
        }
        if (depth < (kinds.get(kind) ?? Number.POSITIVE_INFINITY)) kinds.set(kind, depth)
      }
    }
  }
  return { rules, kinds }
}

/** The chance, in percent, of a plain value where a more complex one is possible. */
const plainChances = 30
const optionalChances = 40
/** Kinds of whole queries, to which `plainChances` does not apply: none is plainer than another. */
const wholeKinds = new Set(['query', 'board'])
/** The most rules in one text; beyond it the shortest rules are chosen. */
const piecesMax = 120
const triesMax = 100

export class Writer {
  readonly #grammar: Grammar
  readonly #depths: ReturnType<typeof leastDepths>

  constructor(grammar: Grammar) {
    this.#grammar = grammar
    this.#depths = leastDepths(grammar)
  }

  /** A text of a kind; `rule`, when given, fills the first slot of its kind. */
  make(kind: string, depth: number, random: Random, rule: { kind: string; rule: string } | null = null): Piece {
    return new Making(this.#grammar, this.#depths.rules, random, rule).piece(kind, depth)
  }

  /** Retries until the text uses the rule, at most `triesMax` times. */
  makeWith(rule: { kind: string; rule: string } | null, kind: string, depth: number, random: Random): Piece {
    let made = this.make(kind, depth, random, rule)
    for (let tries = 0; rule !== null && tries < triesMax; tries++) {
      if (rulesIn(made).includes(`${rule.kind}: ${rule.rule}`)) break
      made = this.make(kind, depth, random, rule)
    }
    return made
  }

  /** The shortest texts of a kind, simplest first: candidates to replace a piece. */
  readonly plainest = (kind: string): readonly string[] =>
    (this.#grammar[kind] ?? []).flatMap((rule) => {
      const only = /^<(\w+)>$/.exec(rule)
      if (only !== null) return this.plainest(only[1]!).slice(0, 2)
      return /<|\(\?|§/.test(rule) ? [] : [rule]
    })
}

class Making {
  readonly #grammar: Grammar
  readonly #depths: ReadonlyMap<string, number>
  readonly #random: Random
  #turn: { readonly kind: string; readonly rule: string } | null
  #pieces = 0

  constructor(
    grammar: Grammar,
    depths: ReadonlyMap<string, number>,
    random: Random,
    turn: { kind: string; rule: string } | null,
  ) {
    this.#grammar = grammar
    this.#depths = depths
    this.#random = random
    this.#turn = turn
  }

  piece(kind: string, depth: number, label: string | null = null): Piece {
    this.#pieces += 1
    const rule = this.#rule(kind, this.#pieces > piecesMax ? 0 : depth)
    return { kind, rule, parts: this.#parts(tokens(rule), depth, label) }
  }

  #rule(kind: string, depth: number): string {
    if (this.#turn?.kind === kind) {
      const { rule } = this.#turn
      this.#turn = null
      return rule
    }
    const all = this.#grammar[kind]!
    const least = Math.min(...all.map((rule) => this.#depths.get(rule)!))
    const isPlain = !wholeKinds.has(kind) && this.#random.below(100) < plainChances
    const most = isPlain ? least : Math.max(depth, least)
    const fitting = all.filter((rule) => this.#depths.get(rule)! <= most)
    const deeper = isPlain ? fitting : fitting.filter((rule) => kindsIn(tokens(rule)).length > 0)
    const chosen = deeper.length > 0 ? deeper : fitting
    return chosen[this.#random.below(chosen.length)]!
  }

  #parts(all: readonly Token[], depth: number, label: string | null): Part[] {
    return all.map((token): Part => {
      if (typeof token === 'string') return label === null ? token : token.replaceAll('§', label)
      if ('again' in token) return token
      if ('optional' in token) {
        const isThere = this.#random.below(100) < optionalChances && this.#pieces < piecesMax
        const parts = isThere ? this.#parts(token.optional, depth, label) : []
        return { piece: { kind: 'optional', rule: '', parts }, named: null, label: null, inJson: false }
      }
      const { slot } = token
      const inner = slot.label === null ? label : slot.label.replaceAll('§', label ?? '')
      return { ...slot, piece: this.piece(slot.kind, depth - 1, inner) }
    })
  }
}

export function written(piece: Piece, outer: Map<string, string> = new Map()): string {
  const named = piece.kind === 'optional' ? outer : new Map<string, string>()
  return piece.parts
    .map((part) => {
      if (typeof part === 'string') return part
      if ('again' in part) return named.get(part.again) ?? 'NULL'
      const text = written(part.piece, named)
      const shown = part.inJson ? JSON.stringify(text).slice(1, -1) : text
      if (part.named !== null) named.set(part.named, shown)
      return shown
    })
    .join('')
}

/** The rules used in a piece. */
export function rulesIn(piece: Piece): readonly string[] {
  const own = piece.kind === 'optional' ? [] : [`${piece.kind}: ${piece.rule}`]
  return [...own, ...childrenOf(piece).flatMap(rulesIn)]
}

function childrenOf({ parts }: Piece): readonly Piece[] {
  return parts.flatMap((part) => (typeof part === 'object' && 'piece' in part ? [part.piece] : []))
}

function within(piece: Piece, kind: string): readonly Piece[] {
  return childrenOf(piece).flatMap((child) => [...(child.kind === kind ? [child] : []), ...within(child, kind)])
}

/** Smaller variants of a text, smallest first. */
export function* smaller(piece: Piece, plainest: (kind: string) => readonly string[]): Generator<Piece> {
  if (piece.kind === 'optional' && piece.parts.length > 0) yield { ...piece, parts: [] }
  const inner = within(piece, piece.kind)
  if (piece.kind !== 'optional') {
    const plain = plainest(piece.kind)
    const place = plain.indexOf(written(piece))
    const before = place < 0 ? plain : plain.slice(0, place)
    for (const rule of before.slice(0, 4)) yield { kind: piece.kind, rule, parts: [rule] }
  }
  yield* inner.toReversed()
  for (const [index, part] of piece.parts.entries()) {
    if (typeof part === 'string' || 'again' in part) continue
    for (const child of smaller(part.piece, plainest)) {
      yield { ...piece, parts: piece.parts.with(index, { ...part, piece: child }) }
    }
  }
}

/** All pieces within a text that have one of the kinds, shortest first. */
export function piecesOf(piece: Piece, kinds: ReadonlySet<string>): readonly Piece[] {
  const all = [...kinds].flatMap((kind) => within(piece, kind))
  return all.toSorted((a, b) => written(a).length - written(b).length)
}

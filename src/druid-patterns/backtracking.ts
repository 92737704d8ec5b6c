// Detects patterns on which a backtracking engine would run for hours. Druid has such an engine, and its query timeout does not stop it.
import { addTo } from '../lib/add-to.ts'
import { type PatternNode, parsePattern } from './pattern-syntax.ts'

/** The most consecutive repetitions that may match the same characters. Each multiplies the work by the length of the text. */
const chainMax = 3
/** Weight of an optional part, or of a character repeated up to `shortTimes` more times than it must be: it about doubles the work. */
const shortWeight = 0.25
const shortTimes = 10
/** A group with a fixed count of at most this is written out. Any other group that may be repeated is treated as unbounded. */
const copiesMax = 4
/** The most steps spent on one query's patterns, about a tenth of a second. Patterns beyond that are refused. */
const stepsMax = 200_000
/** Steps charged for parsing one character. */
const readingSteps = 10

/** Validates the patterns of one query. */
export class PatternCheck {
  #steps = 0

  /** The reason why a pattern might never end; null when it is quick enough. */
  slowness(pattern: string): string | null {
    this.#steps += pattern.length * readingSteps
    if (this.#steps > stepsMax) return tooLarge
    const node = parsePattern(pattern)
    // Druid reports the syntax error.
    if (node === 'broken') return null
    if (node === 'unreadable') return 'it has comments, or more than a hundred nested groups'
    const graph = new PatternGraph(stepsMax - this.#steps)
    const why = slownessOf(graph, node)
    this.#steps += graph.steps
    return graph.isTooLarge ? tooLarge : why
  }
}

const tooLarge = 'with the other patterns of the query it is too large to check'

function slownessOf(graph: PatternGraph, node: PatternNode): string | null {
  graph.add(node)
  if (graph.hasReference) return 'it refers back to a group'
  if (graph.loops.some((loop) => graph.isAmbiguous(loop))) {
    return 'it repeats a part that can match the same characters in several ways, such as (a+)+ or (a|a)*'
  }
  if (graph.chainWeight() <= chainMax) return null
  return `it has more than ${chainMax} repetitions that can match the same characters, such as .*.*.*.*`
}

/** The error message for the caller of a query. */
export function slowPattern(why: string): string {
  return `on a cluster the pattern might never end: ${why}; rewrite it, or use LIKE, which allows any number of %`
}

interface Fragment {
  readonly isEmpty: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

/** A repetition that is not inside another one, with the range of places of its characters. */
interface Loop {
  readonly from: number
  readonly to: number
  readonly weight: number
}

const empty: Fragment = { isEmpty: true, first: [], last: [] }

/** Each character of a pattern is a place with links to the places that may follow it (Glushkov's automaton). */
class PatternGraph {
  readonly #sets: bigint[] = []
  readonly #next: Map<number, number>[] = []
  /** Repetitions treated as unbounded: the body may follow itself. */
  readonly loops: Loop[] = []
  /** These and optional parts, in the pattern's order. */
  readonly #choices: Loop[] = []
  hasReference = false
  #loopDepth = 0
  readonly #stepsMax: number
  /** Steps spent so far. */
  steps = 0

  constructor(stepsMax: number) {
    this.#stepsMax = stepsMax
  }

  get isTooLarge(): boolean {
    return this.steps > this.#stepsMax
  }

  add(node: PatternNode): Fragment {
    if (++this.steps > this.#stepsMax) return empty
    switch (node.kind) {
      case 'one': {
        const place = this.#sets.push(node.set) - 1
        this.#next.push(new Map())
        return { isEmpty: false, first: [place], last: [place] }
      }
      case 'sequence':
        return this.#sequence(node.items)
      case 'choice': {
        const options = node.options.map((option) => this.add(option))
        return {
          isEmpty: options.some(({ isEmpty }) => isEmpty),
          first: options.flatMap(({ first }) => first),
          last: options.flatMap(({ last }) => last),
        }
      }
      case 'repeat':
        return this.#repeat(node)
      case 'reference':
        this.hasReference = true
        return empty
    }
  }

  #sequence(items: readonly PatternNode[]): Fragment {
    return items.reduce<Fragment>((before, item) => {
      const after = this.add(item)
      this.#link(before.last, after.first)
      return {
        isEmpty: before.isEmpty && after.isEmpty,
        first: before.isEmpty ? [...before.first, ...after.first] : before.first,
        last: after.isEmpty ? [...before.last, ...after.last] : after.last,
      }
    }, empty)
  }

  #repeat({ body, least, most }: PatternNode & { readonly kind: 'repeat' }): Fragment {
    if (most === 0) return empty
    // A fixed number of one character leaves no choice.
    if (least === most && body.kind === 'one') return this.add(body)
    if (least === most && most <= copiesMax) return this.#sequence(Array.from({ length: most }, () => body))
    const from = this.#sets.length
    const isLoop = most > 1
    const isOutside = this.#loopDepth === 0
    if (isLoop) this.#loopDepth++
    const once = this.add(body)
    if (isLoop) {
      this.#loopDepth--
      this.#link(once.last, once.first)
    }
    if (isOutside) {
      const isShort = body.kind === 'one' ? most - least <= shortTimes : most === 1
      const loop = { from, to: this.#sets.length, weight: isShort ? shortWeight : 1 }
      this.#choices.push(loop)
      if (isLoop) this.loops.push(loop)
    }
    return { ...once, isEmpty: once.isEmpty || least === 0 }
  }

  /** A pair of places linked twice can be matched in two ways. */
  #link(before: readonly number[], after: readonly number[]): void {
    this.steps += before.length * after.length
    if (this.isTooLarge) return
    for (const one of before) {
      const next = this.#next[one]!
      for (const other of after) next.set(other, (next.get(other) ?? 0) + 1)
    }
  }

  /** Whether two paths through a loop, from one place back to it, can match the same text. Each round then doubles the number of paths. */
  isAmbiguous({ from, to }: Loop): boolean {
    const size = to - from
    const before = new Map<number, number[]>()
    const diagonal = Array.from({ length: size }, (_, index) => index * size + index)
    const reached = new Set(diagonal)
    const waiting = [...diagonal]
    for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
      for (const [one, times] of this.#next[from + Math.floor(pair / size)]!) {
        if (one < from || one >= to) continue
        if (times > 1) return true
        for (const other of this.#next[from + (pair % size)]!.keys()) {
          if (++this.steps > this.#stepsMax) return false
          if (other < from || other >= to || (this.#sets[one]! & this.#sets[other]!) === 0n) continue
          const next = (one - from) * size + (other - from)
          addTo(before, next, pair)
          if (!reached.has(next)) waiting.push(next)
          reached.add(next)
        }
      }
    }
    // Search backwards from the pairs of a place with itself. A pair of two places found here lies on a path between two such pairs.
    const back = [...diagonal]
    const seen = new Set(diagonal)
    for (let pair = back.pop(); pair !== undefined; pair = back.pop()) {
      for (const predecessor of before.get(pair) ?? []) {
        if (Math.floor(predecessor / size) !== predecessor % size) return true
        if (!seen.has(predecessor)) back.push(predecessor)
        seen.add(predecessor)
      }
    }
    return false
  }

  /** The greatest weight of consecutive repetitions where each can match the characters of the next one and everything between. */
  chainWeight(): number {
    const heaviest: number[] = []
    this.#choices.forEach((choice, index) => {
      const before = heaviest.filter((_, other) => this.#flowsInto(this.#choices[other]!, choice))
      heaviest[index] = choice.weight + Math.max(0, ...before)
    })
    return Math.max(0, ...heaviest)
  }

  #flowsInto(one: Loop, other: Loop): boolean {
    const common = this.#setOf(one) & this.#setOf(other)
    if (common === 0n) return false
    const waiting = Array.from({ length: one.to - one.from }, (_, index) => one.from + index)
    const seen = new Set(waiting)
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      if (place >= other.from && place < other.to) return true
      for (const next of this.#next[place]!.keys()) {
        if (++this.steps > this.#stepsMax) return false
        if (seen.has(next) || (this.#sets[next]! & common) === 0n) continue
        seen.add(next)
        waiting.push(next)
      }
    }
    return false
  }

  #setOf({ from, to }: Loop): bigint {
    return this.#sets.slice(from, to).reduce((all, set) => all | set, 0n)
  }
}

// Small answers, kept for as long as the same question would be answered the same (docs/decisions/answer-cache.md).
import type { UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { ChangeCounts } from '../lib/change-counts.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import { datesOf, type Plan } from '../model/plan.ts'

export interface KeptAnswersParts {
  /** What all of them may take of the memory, with their questions. */
  readonly bytesMax: number
  /** By the ids of entities. */
  readonly changes: Pick<ChangeCounts, 'state'>
  /** Whether the store answers now: while it does not, nobody is answered. */
  readonly isReady: () => boolean
  readonly unsent: Pick<UnsentAnswers, 'room' | 'open'>
}

/** A question, and the state of what its answer depends on before it was asked. */
export interface Sought {
  readonly key: string
  readonly state: number
}

interface Kept {
  readonly state: number
  readonly rows: number
  /** A character a byte. */
  readonly text: string
  readonly bytes: number
}

/** Longer questions are hardly asked again, and would take long to be looked for. */
const namesMax = 100
/** About what a kept answer takes beside its texts. */
const overheadBytes = 256
/** By how many questions it is remembered, about, whether one was asked before. */
const tracesMax = 16_384

export class KeptAnswers {
  readonly #parts: KeptAnswersParts
  /** The longest unused comes first. */
  readonly #kept = new Map<string, Kept>()
  readonly #traces = new Int32Array(tracesMax)
  #bytes = 0
  #hits = 0
  #misses = 0

  constructor(parts: KeptAnswersParts) {
    this.#parts = parts
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Questions that were answered with what was kept, and those that were asked because there was nothing, or it was out of date. */
  get counts(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses }
  }

  /** To be called before the store is asked. Null where the answer to such a plan is not kept. */
  sought(plan: Plan, format: AnswerFormat): Sought | null {
    const { entityId, ids, prefixes } = plan.selection
    const ticks = plan.kind === 'snap' ? plan.ticksMs.length : 0
    if ((ids?.length ?? 0) + (prefixes?.length ?? 0) + ticks > namesMax) return null
    return { key: keyOf(plan, format), state: this.#parts.changes.state(entityId, datesOf(plan)) }
  }

  /** Null where there is none, or something has changed that it depends on. */
  find({ key, state }: Sought): Answer | null {
    const kept = this.#kept.get(key)
    if (kept !== undefined) this.#forget(key, kept)
    const { isReady, unsent } = this.#parts
    // Where it would wait for its reader beyond the bounds, it is made as others are.
    if (kept?.state !== state || !isReady() || unsent.room().memoryBytes < kept.text.length) {
      this.#misses++
      return null
    }
    this.#remember(key, kept)
    this.#hits++
    const { rows, text } = kept
    return unsent.open({ rows, bytes: text.length, body: { kind: 'short', bytes: text } })
  }

  /** The answer to a question that was sought before it was asked. It is kept when the question came before. */
  keep({ key, state }: Sought, { rows, text }: Answer): void {
    if (text === undefined || !this.#cameBefore(key)) return
    const before = this.#kept.get(key)
    if (before !== undefined) this.#forget(key, before)
    const { bytesMax } = this.#parts
    const bytes = key.length + text.length + overheadBytes
    if (bytes > bytesMax) return
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes + bytes <= bytesMax) break
      this.#forget(oldest, kept)
    }
    this.#remember(key, { state, rows, text, bytes })
  }

  #remember(key: string, kept: Kept): void {
    this.#kept.set(key, kept)
    this.#bytes += kept.bytes
  }

  #forget(key: string, kept: Kept): void {
    this.#kept.delete(key)
    this.#bytes -= kept.bytes
  }

  /** What is asked once alone takes no memory. Two questions may leave the same trace: then an answer is kept too early. */
  #cameBefore(key: string): boolean {
    const trace = traceOf(key)
    const place = trace & (tracesMax - 1)
    const came = this.#traces[place] === trace
    this.#traces[place] = trace
    return came
  }
}

/** The same for the same plan alone: its fields come in one order, because it is made in one place. */
function keyOf(plan: Plan, format: AnswerFormat): string {
  const { kind } = plan
  const dates = datesOf(plan)
  const ticks = kind === 'snap' ? plan.ticksMs.join() : ''
  return `${format} ${dates.fromMs} ${dates.toMs} ${ticks} ${JSON.stringify(kind === 'snap' ? plan.selection : plan)}`
}

/** FNV-1a; never 0, which stands for no question. */
function traceOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash | 1
}

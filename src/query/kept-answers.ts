// Short answers, which are given again for as long as the store would answer the same (docs/decisions/answer-cache.md).
import type { UnsentAnswers } from '../answer/unsent-answers.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { ChangeCounts } from '../lib/change-counts.ts'
import type { AnswerFormat } from '../model/answer-format.ts'
import type { EntityField } from '../model/entity.ts'
import { datesOf, type Plan } from '../model/plan.ts'

export interface KeptAnswersParts {
  /** What all kept answers may take of the memory, with their keys. */
  readonly bytesMax: number
  /** The changes of each entity, by its id. */
  readonly changes: Pick<ChangeCounts, 'state'>
  /** Whether the store answers now. While it does not, no kept answer is given either. */
  readonly isReady: () => boolean
  readonly unsent: Pick<UnsentAnswers, 'room' | 'open'>
}

/** A question, and the state of what its answer depends on, read before the store is asked. */
export interface KeptQuestion {
  readonly key: string
  readonly state: number
}

interface Kept {
  readonly state: number
  readonly rows: number
  /** The body, a character a byte. */
  readonly text: string
  readonly bytes: number
}

/** Longer questions are hardly asked again, and their keys would take long to make. */
const namesMax = 100
/** About what a kept answer takes beside its key and its body. */
const overheadBytes = 256
/** Of so many questions, about, it is remembered that they were asked. */
const hashesMax = 16_384

export class KeptAnswers {
  readonly #parts: KeptAnswersParts
  /** The longest unused comes first. */
  readonly #kept = new Map<string, Kept>()
  readonly #hashes = new Int32Array(hashesMax)
  #bytes = 0
  #hits = 0
  #misses = 0

  constructor(parts: KeptAnswersParts) {
    this.#parts = parts
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Questions that got a kept answer, and those that were passed on because none was kept, or it was out of date. */
  get counts(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses }
  }

  /** Call it before the store is asked. Null where answers to such a plan are not kept. */
  question(plan: Plan, format: AnswerFormat): KeptQuestion | null {
    const { entityId, ids, prefixes } = plan.selection
    const ticks = plan.kind === 'snap' ? plan.ticksMs.length : 0
    if ((ids?.length ?? 0) + (prefixes?.length ?? 0) + ticks > namesMax) return null
    return { key: keyOf(plan, format), state: this.#parts.changes.state(entityId, datesOf(plan)) }
  }

  /** The kept answer; null where there is none, or something that it depends on has changed. */
  find({ key, state }: KeptQuestion): Answer | null {
    const kept = this.#kept.get(key)
    if (kept !== undefined) this.#forget(key, kept)
    const { isReady, unsent } = this.#parts
    // Where unsent answers leave no room for it, the question goes to the store like any other.
    if (kept?.state !== state || !isReady() || unsent.room().memoryBytes < kept.text.length) {
      this.#misses++
      return null
    }
    this.#remember(key, kept)
    this.#hits++
    const { rows, text } = kept
    return unsent.open({ rows, bytes: text.length, body: { kind: 'short', bytes: text } })
  }

  /** Keeps the store's answer, if the question came before. */
  keep({ key, state }: KeptQuestion, { rows, text }: Answer): void {
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

  /** Two questions may have the same hash: then an answer is kept at its first time. */
  #cameBefore(key: string): boolean {
    const hash = hashOf(key)
    const place = hash & (hashesMax - 1)
    const came = this.#hashes[place] === hash
    this.#hashes[place] = hash
    return came
  }
}

/**
 * Equal for equal plans alone. Written by hand, because JSON of a whole plan took a twentieth of a small question. Names have no space and no comma, and
 * what they stand for never changes while the entity has its id.
 */
function keyOf(plan: Plan, format: AnswerFormat): string {
  const { entityId, sinceMs, tags, ids, prefixes, metrics, fields } = plan.selection
  const dates = datesOf(plan)
  const names = `${namesOf(tags)} ${namesOf(metrics)} ${namesOf(fields)}`
  const texts = `${JSON.stringify(ids)} ${JSON.stringify(prefixes)}`
  return `${format} ${entityId} ${sinceMs} ${dates.fromMs} ${dates.toMs} ${ownPart(plan)} ${names} ${texts}`
}

function ownPart(plan: Plan): string {
  switch (plan.kind) {
    case 'average':
      return `average ${plan.byTag} ${JSON.stringify(plan.granularity)}`
    case 'snap':
      return `snap ${plan.ticksMs.join()}`
    case 'last':
    case 'next':
      return `${plan.kind} ${plan.offset}`
    default:
      return plan.kind
  }
}

function namesOf(fields: readonly EntityField[]): string {
  let names = ''
  for (const { name } of fields) names += `,${name}`
  return names
}

/** FNV-1a; never 0, which stands for no question. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash | 1
}

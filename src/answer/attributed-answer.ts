import type { Answer } from './whole-answer.ts'

/** An answer, and who made it. It is passed on and not copied: a copy would make the bytes of a short one, which mostly nobody asks for. */
export class AttributedAnswer implements Answer {
  readonly rows: number
  readonly bytes: number
  readonly answeredBy: NonNullable<Answer['answeredBy']>
  readonly text: string | undefined
  readonly #answer: Answer

  constructor(answeredBy: NonNullable<Answer['answeredBy']>, answer: Answer) {
    this.rows = answer.rows
    this.bytes = answer.bytes
    this.answeredBy = answeredBy
    this.text = answer.text
    this.#answer = answer
  }

  get chunks(): Answer['chunks'] {
    return this.#answer.chunks
  }

  release(isSent?: boolean): void {
    this.#answer.release(isSent)
  }
}

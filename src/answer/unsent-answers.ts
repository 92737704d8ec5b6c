import { type AnswerData, openAnswer } from './answer-data.ts'
import type { SpoolBudget } from './spool.ts'
import type { Answer } from './whole-answer.ts'

export interface SpoolSettings {
  /** Memory limit of one answer; a longer answer is stored in a file. */
  readonly answerMemoryBytes: number
  /** Memory limit of all unsent answers together; beyond it, answers are stored in files. */
  readonly memoryBytes: number
  /** Size limit of all their files together. */
  readonly fileBytes: number
}

/** Tracks the space used by answers that are not sent yet, for example to slow clients. */
export class UnsentAnswers {
  readonly #settings: SpoolSettings
  #memoryBytes = 0
  #fileBytes = 0

  constructor(settings: SpoolSettings) {
    this.#settings = settings
  }

  /** The budget of the next answer. Answers produced at the same time may exceed the limits together. */
  budget(): SpoolBudget {
    const { answerMemoryBytes, memoryBytes, fileBytes } = this.#settings
    return {
      memoryBytes: Math.max(0, Math.min(answerMemoryBytes, memoryBytes - this.#memoryBytes)),
      fileBytes: Math.max(0, fileBytes - this.#fileBytes),
    }
  }

  /** Takes ownership of an answer and counts it until it is released; `spare` then receives the memory that may be reused. */
  open(stored: AnswerData, spare: (memory: readonly ArrayBuffer[]) => void = () => undefined): Answer {
    const { bytes } = stored
    const count = stored.body.kind === 'file' ? this.#countFile : this.#countMemory
    const answer = openAnswer(stored, (memory) => {
      count(-bytes)
      if (memory.length > 0) spare(memory)
    })
    count(bytes)
    return answer
  }

  readonly #countMemory = (bytes: number): void => {
    this.#memoryBytes += bytes
  }

  readonly #countFile = (bytes: number): void => {
    this.#fileBytes += bytes
  }
}

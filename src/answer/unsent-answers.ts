import { type AnswerData, openAnswer } from './answer-data.ts'
import type { SpoolBudget } from './spool.ts'
import type { Answer } from './whole-answer.ts'

export interface SpoolSettings {
  /** What one answer may take of the memory; a longer one goes to a file. */
  readonly answerMemoryBytes: number
  /** What all answers that are not sent yet may take of the memory: past that, more of them go to files. */
  readonly memoryBytes: number
  /** What their files may take together. */
  readonly fileBytes: number
}

/** Knows how much the answers take that wait for their readers, however slow those are. */
export class UnsentAnswers {
  readonly #settings: SpoolSettings
  #memoryBytes = 0
  #fileBytes = 0

  constructor(settings: SpoolSettings) {
    this.#settings = settings
  }

  /** How much the next answer may take. The few that are being made at the same time may pass the bounds together. */
  budget(): SpoolBudget {
    const { answerMemoryBytes, memoryBytes, fileBytes } = this.#settings
    return {
      memoryBytes: Math.max(0, Math.min(answerMemoryBytes, memoryBytes - this.#memoryBytes)),
      fileBytes: Math.max(0, fileBytes - this.#fileBytes),
    }
  }

  /** Takes over an answer, and counts it until it is released; `spare` is given the memory that may be written again then. */
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

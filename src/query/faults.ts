import { Problem, type ProblemError } from '../model/problem.ts'

/** The most faults to report at once; more would not help. */
const faultsMax = 20

/** Collects the faults of a request, so that the caller gets all of them in one response. */
export class Faults {
  readonly #errors: ProblemError[] = []

  /** Whether further faults would be dropped. */
  get areFull(): boolean {
    return this.#errors.length === faultsMax
  }

  /** `path` is the property at fault, such as `ids[0]`; `message` states what to do. */
  add(path: string, message: string): void {
    if (!this.areFull) this.#errors.push({ path, message })
  }

  /** Throws Problem `invalid_request` if there are faults. */
  throwIfAny(): void {
    const [first, ...others] = this.#errors
    if (first === undefined) return
    const more = others.length === 0 ? '' : ` (and ${others.length} more, see errors)`
    throw new Problem('invalid_request', `${first.path === '' ? '' : `${first.path}: `}${first.message}${more}`, {
      errors: this.#errors,
    })
  }
}

/** A quoted list of at most `max` names for a message. */
export function listNames(names: readonly string[], max = 20): string {
  const shown = names
    .slice(0, max)
    .map((name) => JSON.stringify(name))
    .join(', ')
  return names.length > max ? `${shown} and ${names.length - max} more` : shown
}
